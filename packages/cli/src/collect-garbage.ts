import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

type Collect = (options: { readonly type: "major"; readonly execution: "sync"; readonly flavor: "last-resort" }) => void

/**
 * Collects everything that is not used any more, and gives the room back to the system. Reading ten thousand pods leaves 14 MB behind, and V8 keeps
 * that, and the space for new objects, for as long as nothing more is made. Node has no call for it: V8's own is there once a flag says so, which may be
 * set while the program runs. It takes a tenth of a second for ten thousand pods, in which nothing else is done.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as Collect
  setFlagsFromString("--no-expose-gc")
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}
