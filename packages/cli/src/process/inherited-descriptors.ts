import { closeSync, readdirSync, readFileSync } from "node:fs"

/** O_CLOEXEC, as /proc shows it: an octal digit of the flags. */
const closedInChildren = 0o2000000n

/**
 * Closes the descriptors that this program was started with, but for standard input, output and error, and that its children would inherit. Node
 * opens all of its own so that children do not have them, and marks most of those it was started with; of higher numbers some are left, which lead to
 * files and sockets of whatever started it. Gives their numbers; none where there is no /proc.
 */
export function closeInheritedDescriptors(): readonly number[] {
  const numbers = list("/proc/self/fdinfo").map(Number)
  return numbers.filter((number) => number > 2 && isInherited(number)).filter(close)
}

function isInherited(number: number): boolean {
  const [, flags] = /^flags:\s*([0-7]+)$/m.exec(read(`/proc/self/fdinfo/${number}`)) ?? []
  return flags !== undefined && (BigInt(`0o${flags}`) & closedInChildren) === 0n
}

function close(number: number): boolean {
  try {
    closeSync(number)
    return true
  } catch {
    // Closed meanwhile.
    return false
  }
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    // There is no /proc on this system.
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // Closed meanwhile: the one that the list was read with, say.
    return ""
  }
}
