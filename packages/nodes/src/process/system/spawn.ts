import type { Credentials } from "../security/credentials.ts"

/** What a process is started with. */
export interface ProcessCall {
  readonly argv: readonly string[]
  /** The environment of its container; the spawner adds PATH and the like. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Who it is and what it may do; left out: as the program that starts it. */
  readonly credentials?: Credentials
  /** An entry of its environment ("NAME=value"). When it has ended, everything that carries the entry is ended too, wherever it has gone. */
  readonly endsCarriersOf?: string
}

/** How a process ended. */
export interface ProcessEnd {
  /** As a shell has it: 143 for one that SIGTERM ended. */
  readonly exitCode: number
}

/** Receives the output and the end of a process. */
export interface ProcessListener {
  line(text: string): void
  /** Once, and after the last line. */
  end(end: ProcessEnd): void
}

/** Seconds of CPU and bytes of memory. */
export interface ProcessUse {
  readonly cpu: number
  readonly memory: number
}

/** A started process. */
export interface RunningProcess {
  /** What it and all that it has started have used of the CPU since its start, and of memory now. Not there where the system does not say; undefined of what has ended. */
  used?(): ProcessUse | undefined
  /** To it and to all that it has started. One that has ended gets nothing. */
  signal(name: "SIGTERM" | "SIGKILL"): void
}

/** Starts a program on this host. Rejects when it cannot be started. */
export type SpawnProcess = (call: ProcessCall, listener: ProcessListener) => Promise<RunningProcess>

/** Asks a port of this host whether it is well; rejects, or ends when the signal aborts, when it is not. */
export interface ProbeHost {
  tcp(host: string, port: number, signal: AbortSignal): Promise<void>
  /** Rejects for every status that is not 200 to 399. */
  http(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>
}
