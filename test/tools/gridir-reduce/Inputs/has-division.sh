#!/bin/sh
# Interesting, which the reducer reads as status 1, is a module with a division.
grep -q divsi "$1" && exit 1
exit 0
