import type { Query, Verb } from "@pilothouse/seams"

export type EmbeddedServiceName = "keystone" | "neutron" | "octavia"

/** One call that reached the cloud. */
export interface EmbeddedCall {
  readonly service: EmbeddedServiceName
  readonly verb: Verb
  /** "/v2.0/ports" */
  readonly path: string
  readonly query: Query
  readonly body: unknown
  /** From 0. */
  readonly index: number
}

/** What goes wrong with a call. Several of them may be given at once. */
export interface EmbeddedFault {
  /** Milliseconds before anything is done. */
  readonly delay?: number
  /** Milliseconds that the work takes. It is done, as by a real service, even when the client waits no longer. */
  readonly takes?: number
  /** Milliseconds between the work and its answer: others see what was done all that time. */
  readonly answersAfter?: number
  /** Nothing is done, and this is the status of the answer; with `loseAnswer` all is done first. */
  readonly status?: number
  /** All is done, and the connection breaks, or `status` is answered. */
  readonly loseAnswer?: boolean
  /** Nothing is done, and the connection breaks. */
  readonly loseRequest?: boolean
  /** No answer, ever, and nothing is done. */
  readonly hang?: boolean
}

export type FaultScript = (call: EmbeddedCall) => EmbeddedFault | undefined
