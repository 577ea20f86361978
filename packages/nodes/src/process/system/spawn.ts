import type { Readable, Writable } from "node:stream"
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
  /** It has an input, which stays open. */
  readonly stdin?: boolean
  /** It has a terminal; all its output is standard output then. */
  readonly tty?: boolean
}

/** Where a process has printed something. */
export type OutputStream = "stdout" | "stderr"

/** How a process ended. */
export interface ProcessEnd {
  /** As a shell has it: 143 for one that SIGTERM ended. */
  readonly exitCode: number
}

/** Receives the output and the end of a process. */
export interface ProcessListener {
  line(text: string): void
  /** What comes before it is cut into lines, for those who are attached. */
  output?(stream: OutputStream, bytes: Buffer): void
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
  /** Only where its call says so. */
  readonly stdin?: Writable
  /** Only with a terminal. */
  resize?(size: { readonly width: number; readonly height: number }): void
}

/** Starts a program on this host. Rejects when it cannot be started. */
export type SpawnProcess = (call: ProcessCall, listener: ProcessListener) => Promise<RunningProcess>

/** A process whose streams are read and written by a client, as a command of kubectl exec. */
export interface StreamedProcess {
  /** Undefined: it was not asked for. */
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  /** With a terminal all output is standard output. */
  readonly stderr: Readable | undefined
  /** Only with a terminal. */
  resize?(size: { readonly width: number; readonly height: number }): void
  signal(name: "SIGTERM" | "SIGKILL"): void
  /** Resolves once, behind the last byte of output. */
  readonly ended: Promise<ProcessEnd>
}

/** What of its streams a process has. */
export interface StreamOptions {
  readonly stdin: boolean
  readonly tty: boolean
}

/** Starts a program on this host with streams. Rejects when it cannot be started. */
export type SpawnStreams = (call: ProcessCall, options: StreamOptions) => Promise<StreamedProcess>

/** Asks a port of this host whether it is well; rejects, or ends when the signal aborts, when it is not. */
export interface ProbeHost {
  tcp(host: string, port: number, signal: AbortSignal): Promise<void>
  /** Rejects for every status that is not 200 to 399. */
  http(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>
}
