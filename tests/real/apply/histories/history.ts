import type { ApiAnswer, ApiClient } from "../../api-client.ts"
import { answerDifference } from "../answers.ts"
import { type Operation, perform, type Target } from "./operation.ts"

export interface History {
  /** "Deployment small" */
  readonly title: string
  readonly kind: string
  target(name: string): Target
  readonly operations: readonly Operation[]
}

export interface Servers {
  readonly real: ApiClient
  readonly ours: ApiClient
}

export interface Difference {
  /** Of the operation whose answers differ. */
  readonly at: number
  readonly text: string
}

export interface Outcome {
  readonly difference?: Difference
  /** Writes that the real server found invalid, and how many of those ours would have taken. */
  readonly invalid: number
  readonly taken: number
}

/**
 * Does the same on both servers until their answers differ. What is valid is no matter of ownership and judged elsewhere (test:real -- messages): of a
 * write that the real server finds invalid ours makes a dry run, so that both go on from the same object.
 */
export async function run({ real, ours }: Servers, history: History, name: string): Promise<Outcome> {
  const target = history.target(name)
  let [invalid, taken] = [0, 0]
  for (const [at, operation] of history.operations.entries()) {
    const theirs = await perform(real, target, operation)
    const own = await perform(ours, target, operation, isInvalid(theirs))
    if (isInvalid(theirs)) {
      invalid++
      if (own.status < 300) taken++
      continue
    }
    const text = answerDifference(theirs, own)
    if (text !== undefined) return { difference: { at, text }, invalid, taken }
  }
  return { invalid, taken }
}

function isInvalid({ status }: ApiAnswer): boolean {
  return status === 422
}

/** The shortest history with the same end that still differs: operations before the last are left out one by one. */
export async function shortest(servers: Servers, history: History, { at, text }: Difference, name: string): Promise<[History, string]> {
  let found: [History, string] = [{ ...history, operations: history.operations.slice(0, at + 1) }, text]
  for (let left = at - 1; left > 0; left--) {
    const shorter = { ...history, operations: found[0].operations.toSpliced(left, 1) }
    const { difference } = await run(servers, shorter, `${name}-${left}`)
    if (difference !== undefined) found = [{ ...shorter, operations: shorter.operations.slice(0, difference.at + 1) }, difference.text]
    left = Math.min(left, found[0].operations.length - 1)
  }
  return found
}

export function historyText({ operations }: History): string {
  return operations.map((operation) => JSON.stringify(operation)).join("\n")
}
