import type { Program, ProgramOptions, Up } from "./server.ts"
import type { Wire } from "./wire.ts"

/** One attempt of an attacker, and what must come of it. */
export interface Row {
  /** The hole that it was (1 to 99), or what held already (100 and up). Several rows may belong to one. */
  readonly number: number
  readonly name: string
  /** What is attacked: a fresh one for each row. `none` where the row starts its own. */
  readonly server: "up" | "run" | "none"
  /** Of `up`, beside --ephemeral. */
  readonly flags?: readonly string[]
  /** Takes long without work: runs beside the others. */
  readonly isLong?: boolean
  /** Megabytes that memory may grow by, where what is left is wanted: objects that were created, say. */
  readonly memory?: number
  /** Descriptors that may be left: a storage on disk has one more for each log. */
  readonly descriptors?: number
  /** Seconds after the attacker left until its descriptors are closed, where that takes longer than 20: what a client does not read stalls for a minute. */
  readonly release?: number
  /** The attacked process is over when the attempt is: nothing is judged after it. */
  readonly endsItself?: boolean
  attempt(attempt: Attempt): Promise<void>
}

/** What a row has to work with; all of it is closed when the row ends. */
export interface Attempt {
  /** A folder of the row's own. */
  readonly directory: string
  /** The attacked process. */
  readonly target: Program
  /** Of `up` only. */
  readonly up: Up
  /** Without credentials, to the attacked port. */
  readonly anonymous: Wire
  /** As the administrator, to the API server: of the attacked `up`, or of the one that the attacked `run` works on. */
  readonly admin: Wire
  /** A wire of its own to a port, without credentials. */
  wire(port: number): Wire
  /** Another pilothouse process, ended with the row. */
  start(args: readonly string[], options?: ProgramOptions): Program
  /** Another `pilothouse up` that is up, ended with the row. */
  startUp(directory: string, flags: readonly string[], options?: ProgramOptions): Promise<Up>
  /** Fails the row where it is not so. */
  expect(isSo: boolean, expected: string, found: unknown): void
  /** Fails the row where the answer's status is none of these. */
  expectStatus(what: string, answer: { readonly status: number; readonly text: string }, ...expected: readonly number[]): void
  /** Fails the row where a turn since the last question was too long: says which of many attempts it was. */
  expectTurns(what: string): Promise<void>
  /** Takes memory and descriptors as they are now for the start: what came before was preparation. */
  rebase(): Promise<void>
  /** Leaves with the answer's reason that a row cannot be tried on this machine. */
  skip(reason: string): never
}

/** Thrown by skip(). */
export class Skipped extends Error {}

/** What an object is answered with that etcd would not take, with status 500 as by kube-apiserver. */
const tooLarge = "etcdserver: request is too large"

export function isTooLarge({ text }: { readonly text: string }): boolean {
  return text.includes(tooLarge)
}

/** What a request with nonsense in it may be answered with. */
export const refusals: readonly number[] = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 422, 429, 431]
