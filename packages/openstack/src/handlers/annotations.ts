import type { KubeObject } from "@pilothouse/api"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { decodeServiceSpec, encodeServiceSpec } from "../versioned-objects/annotations.ts"

/** kuryr's key for the interface of a pod. */
export const vifAnnotation = "openstack.org/kuryr-vif"
/** kuryr's key for what the load balancer of a Service has to be like. */
export const specAnnotation = "openstack.org/kuryr-lbaas-spec"
/** kuryr's key for what was made of that. */
export const stateAnnotation = "openstack.org/kuryr-lbaas-state"

/** What the load balancer of a Service has to be like. */
export interface ServiceSpec {
  readonly ip: string
  readonly ports: readonly ServicePort[]
  readonly project: string
  readonly subnet: string
  readonly groups: readonly string[]
}

export interface ServicePort {
  readonly name: string | null
  readonly protocol: string
  readonly port: number
}

/** The content of an annotation: none, a value, or a text that cannot be decoded and that must not be overwritten. */
export type Annotated<T> = { readonly value?: T; readonly text?: string; readonly error?: PilothouseError }

/** An annotation of a newer kuryr, or one edited by hand, has an error: its writer has to correct it. */
export function readAnnotation<T>(object: KubeObject | undefined, key: string, decode: (text: string) => T): Annotated<T> {
  const text = object?.metadata.annotations?.[key]
  if (text === undefined || text === "") return {}
  try {
    return { text, value: decode(text) }
  } catch (cause) {
    const about = `${object?.kind} ${object?.metadata.namespace}/${object?.metadata.name}`
    const message = `the annotation ${key} of the ${about} cannot be read: ${messageOf(cause)}; mend or remove it`
    return { text, error: new PilothouseError("TERMINAL", message, { cause }) }
  }
}

/** Nothing has to be written on a deleted object: its deletion is an event of its own, which releases what it had. */
export const unlessGone = { tolerate: ["NotFound"] } as const

/** A merge patch that writes annotations only onto the object as it was seen; null removes one. */
export function annotate(object: KubeObject, annotations: Readonly<Record<string, string | null>>): unknown {
  const { uid, resourceVersion } = object.metadata
  return { metadata: { uid, resourceVersion, annotations } }
}

/** Decodes the annotation of a Service's desired load balancer. */
export function decodeSpec(text: string): ServiceSpec {
  const { ip, ports, project_id, subnet_id, security_groups_ids } = decodeServiceSpec(text)
  return {
    ip: ip ?? "",
    ports: ports.map(({ name, protocol, port }) => ({ name, protocol, port })),
    project: project_id ?? "",
    subnet: subnet_id ?? "",
    groups: security_groups_ids,
  }
}

export function encodeSpec({ ip, ports, project, subnet, groups }: ServiceSpec): string {
  return encodeServiceSpec({ ip, ports, project_id: project, subnet_id: subnet, security_groups_ids: groups })
}
