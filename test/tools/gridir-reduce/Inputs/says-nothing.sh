#!/bin/sh
# Is never interested.
