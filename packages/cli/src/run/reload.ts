import { type Log, messageOf } from "@pilothouse/seams"
import type { ClusterChoice, FreshConnection } from "./connection/swappable-transport.ts"
import type { OwnSettings } from "./flags/flags.ts"
import type { RunSettings } from "./flags/run-options.ts"
import { changedSettings } from "./settings.ts"

export interface ReloadOptions {
  /** What it was started with. */
  readonly started: RunSettings
  /** Flags and file once more. Throws where something is wrong with them. */
  read(): RunSettings
  /** Takes over what can change while it runs. */
  change(settings: OwnSettings): void
  /** Whatever has a connection; each throws where the new one cannot be made. */
  readonly connections: readonly { prepare(choice: ClusterChoice): Promise<FreshConnection> }[]
  readonly log: Log
}

/** Reloads configuration, kubeconfig and credentials at SIGHUP. What is wrong is logged, and the old values stay. */
export function reloading({ started, read, change, connections, log }: ReloadOptions): () => Promise<void> {
  let live = started
  const readAgain = async () => {
    try {
      const next = read()
      await using opened = new AsyncDisposableStack()
      const fresh: FreshConnection[] = []
      // All are opened before one is taken: any of them may refuse, and then nothing has changed.
      for (const connection of connections) fresh.push(opened.use(await connection.prepare(next.own)))
      for (const one of fresh) one.take()
      change(next.own)
      const changed = changedSettings(live, next).live
      live = next
      // Against the start: what was not taken over by an earlier reading still waits for a restart.
      const { restart } = changedSettings(started, next)
      log.info("read again", { changed: changed.join(", ") || "credentials only", needsRestart: restart.join(", ") || "nothing" })
    } catch (error) {
      log.error("the configuration could not be read again; the old one stays", { error: messageOf(error) })
    }
  }
  let last = Promise.resolve()
  let waits = false
  return () => {
    // The one that waits for its turn reads what is there then: it stands for all that come before.
    if (waits) return last
    waits = true
    last = last.then(() => {
      waits = false
      return readAgain()
    })
    return last
  }
}
