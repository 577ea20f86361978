/** A command for people to type, with the namespace that it is about: one that was explained by -n is found by -n only. */
export function shownCommand(command: string, namespace: string | undefined, usual = "default"): string {
  return `"${command}${namespace === undefined || namespace === usual ? "" : ` -n ${namespace}`}"`
}
