import type { KubeObject } from "@pilothouse/api"
import type { Draft } from "../body/draft.ts"
import type { Call } from "../request/call.ts"
import type { Resource } from "../resources/resource.ts"
import type { Write } from "../storage/storage.ts"

/** What a plugin is asked about. */
export interface Admitting {
  readonly call: Call
  readonly operation: "CREATE" | "UPDATE" | "DELETE"
  readonly resource: Resource
  readonly subresource: string
  readonly namespace: string | undefined
  readonly name: string
  /** What is to be written; undefined for a delete. `admit` may change it. */
  readonly object: Draft<KubeObject> | undefined
  readonly old: KubeObject | undefined
}

/** One rule at the door. Refuses by throwing a StatusError that says why. */
export interface AdmissionPlugin {
  /** As in --enable-admission-plugins. */
  readonly name: string
  /** Before the object is validated. */
  admit?(admitting: Admitting): void | Promise<void>
  /** After it is validated; changes nothing. */
  validate?(admitting: Admitting): void | Promise<void>
  /** Last of all: what has to be written together with the object, or a refusal. Asked again when that lost against another writer. */
  charge?(admitting: Admitting): readonly Write[]
}

export async function admit(admitting: Admitting): Promise<void> {
  for (const plugin of admitting.call.server.admission) await plugin.admit?.(admitting)
}

export async function admitValidated(admitting: Admitting): Promise<void> {
  for (const plugin of admitting.call.server.admission) await plugin.validate?.(admitting)
}

export function chargesOf(admitting: Admitting): readonly Write[] {
  return admitting.call.server.admission.flatMap((plugin) => plugin.charge?.(admitting) ?? [])
}
