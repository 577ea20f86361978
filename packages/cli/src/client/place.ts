import type { KubeObject } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"

/** Where objects go that do not say so themselves. */
export interface Place {
  readonly namespace: string
  /** Whether the user named this one with --namespace: then no object may name another, as kubectl has it. */
  readonly isAsked?: boolean
}

/** The namespace of an object of a kind that lives in one. */
export function namespaceIn({ namespace, isAsked }: Place, { metadata }: Pick<KubeObject, "metadata">): string {
  const own = metadata.namespace
  if (own === undefined || own === namespace) return namespace
  if (!isAsked) return own
  throw new PilothouseError(
    "INVALID",
    `expected the namespace ${namespace} of --namespace, found ${own} in the object; leave the flag out, or change the file`,
  )
}
