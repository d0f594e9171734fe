# Does what a page says of completion in the shells that there are: completion.sh PAGE
line() { sed -n "s/^| $1 | .* | \`\(.*\)\` |\$/\1/p" "$page" | sed 's/\\|/|/'; }
page=$1
eval "$(line bash)"
COMP_WORDS=(gridir lo) COMP_CWORD=1
_gridir_completion gridir
echo "bash: ${COMPREPLY[*]}"
COMPREPLY=() COMP_WORDS=(gridir lower --list) COMP_CWORD=2
_gridir_completion gridir
echo "bash: ${COMPREPLY[*]}"
for shell in zsh fish; do
  # The program of the line, without the shell's own words around it.
  eval "$(line $shell | grep -o "_GRIDIR_COMPLETE=${shell}_source gridir")" | sed "s/^/$shell: /"
done
