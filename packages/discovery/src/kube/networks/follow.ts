import { type Clock, type Log, messageOf, milliseconds, readText } from "@pilothouse/seams"
import type { MeshNetworksSource } from "../options.ts"
import { type MeshNetworks, noNetworks, readMeshNetworks } from "./mesh-networks.ts"

export interface FollowerOptions {
  readonly source: Pick<MeshNetworksSource, "parse">
  readonly log: Log
  readonly changed: (networks: MeshNetworks) => void
}

/**
 * Turns texts into networks.
 *
 * Always true between calls: what was last handed on is the last text that could be read; a bad one changes nothing.
 */
export class MeshNetworksFollower {
  readonly #options: FollowerOptions
  #text: string | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Undefined: there are no mesh networks any more. */
  take(text: string | undefined, from: string): void {
    if (text === this.#text) return
    this.#text = text
    const { source, log, changed } = this.#options
    const { parse = JSON.parse } = source
    try {
      changed(text === undefined || text.trim() === "" ? noNetworks : readMeshNetworks(parse(text)))
    } catch (error) {
      log.warn(`the mesh networks in ${from} cannot be read; keeping the last good ones`, { from, error: messageOf(error) })
    }
  }
}

/** Looks at a file from time to time. One that is gone or cannot be read for a moment changes nothing. */
export async function followFile(
  { files, path, every = 10_000 }: NonNullable<MeshNetworksSource["file"]>,
  follower: MeshNetworksFollower,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      const text = readText(files, path)
      if (text !== undefined) follower.take(text, path)
    } catch (error) {
      log.warn(`the mesh networks in ${path} cannot be read now`, { path, error: messageOf(error) })
    }
    if (signal.aborted) return
    await clock.sleep(milliseconds(every), { signal, name: `${path}: mesh networks` }).catch(() => {})
    if (signal.aborted) return
  }
}
