import { PilothouseError } from "@pilothouse/seams"

const wellFormed = /^[1-9][0-9]*$/

/**
 * Which of two versions of one resource is the newer: negative, 0 or positive, for `sort`.
 * Numbers of any length without leading zeros. "0" and "" are no versions of an object but ways to ask for one, so they are refused.
 */
export function compareResourceVersions(a: string, b: string): number {
  check(a)
  check(b)
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** Reports whether the text is a resourceVersion that can be compared: a whole number above 0. */
export function isResourceVersion(text: string): boolean {
  return wellFormed.test(text)
}

function check(version: string): void {
  if (!wellFormed.test(version)) throw new PilothouseError("INVALID", `resource version is not well formed: ${version}`)
}
