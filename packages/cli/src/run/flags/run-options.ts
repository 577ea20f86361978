import type { GivenSettings } from "@pilothouse/runtime"
import type { Clock, Files, Log, Random, Transport } from "@pilothouse/seams"
import type { OwnSettings } from "./flags.ts"

/** Everything that `run` is configured with. */
export interface RunSettings {
  readonly own: OwnSettings
  /** Of the controllers, by flag name. What is left out has its default. */
  readonly controllerSettings: GivenSettings
  /** Names in the file that change nothing here. */
  readonly ignored: readonly string[]
}

/** What `run` has from the process that it runs in. */
export interface RunSeams {
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
  /** Wraps every connection to the API server. */
  readonly layer?: (transport: Transport) => Transport
  /** The name of this machine: one part of who we are among the candidates. */
  readonly host: string
  /** The addresses that others reach this machine by. */
  readonly addresses?: readonly string[]
}
