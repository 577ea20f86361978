import { PilothouseError } from "@pilothouse/seams"
import type { Subscription } from "../xds/step.ts"

/** Characters of all names that one client may ask for at a time: as many as four of the largest requests have, one of each kind. */
const most = 16 * 1024 * 1024

/** A client asks for more than one may have. */
export class TooMuchAsked extends PilothouseError {
  constructor() {
    super("INVALID", `expected names of at most ${most} characters in one stream, found more; ask for fewer, or by several streams`)
  }
}

/** How many characters there are after a change. By delta each request adds to those before it, so that its own size bounds nothing. */
export function countNames(before: number, { added, dropped }: Subscription): number {
  let count = before
  for (const name of added) count += name.length
  for (const name of dropped) count -= name.length
  if (count > most) throw new TooMuchAsked()
  return count
}
