import { amountMilliValue, isNotFound, parseQuantity } from "@pilothouse/api"
import {
  type Container,
  configMaps,
  type EnvFromSource,
  type EnvVar,
  nodes,
  type Pod,
  type ResourceFieldSelector,
  secrets,
} from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { expand } from "./expand.ts"

/**
 * The environment of a container, with what it takes from its pod, from ConfigMaps and from Secrets. Throws where something it needs is not there.
 */
export async function processEnvironment(pod: Pod, container: Container, client: Client): Promise<ReadonlyMap<string, string>> {
  const address = pod.status?.podIP ?? ""
  // Without asking: a process has to know where it is to listen, or two of them would bind the same port.
  const known = new Map([
    ["POD_IP", address],
    ["HOST", address],
    ["HOSTNAME", pod.metadata.name ?? ""],
  ])
  for (const source of container.envFrom ?? []) for (const [name, value] of await allOf(source, pod, client)) known.set(name, value)
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, pod, container, client)
    if (value !== undefined) known.set(variable.name, variable.valueFrom === undefined ? expand(value, known) : value)
  }
  return known
}

async function valueOf({ value, valueFrom }: EnvVar, pod: Pod, container: Container, client: Client): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom ?? {}
  if (fieldRef !== undefined) return downwardField(pod, fieldRef.fieldPath) ?? missing(`no field ${fieldRef.fieldPath} in a pod`)
  if (resourceFieldRef !== undefined) return downwardResource(pod, container, resourceFieldRef, await allocatableOf(pod, client))
  if (configMapKeyRef !== undefined)
    return keyOf(
      await configMapData(pod, configMapKeyRef, client),
      configMapKeyRef,
      `ConfigMap ${pod.metadata.namespace}/${configMapKeyRef.name}`,
    )
  if (secretKeyRef !== undefined)
    return keyOf(await secretData(pod, secretKeyRef, client), secretKeyRef, `Secret ${pod.metadata.namespace}/${secretKeyRef.name}`)
  return value ?? ""
}

async function allocatableOf({ spec }: Pod, client: Client): Promise<Data> {
  if (spec?.nodeName === undefined) return {}
  const node = await orMissing(client.get(nodes, spec.nodeName), { optional: true }, "")
  return node?.status?.allocatable ?? {}
}

async function allOf(
  { prefix = "", configMapRef, secretRef }: EnvFromSource,
  pod: Pod,
  client: Client,
): Promise<readonly (readonly [string, string])[]> {
  const maps = configMapRef === undefined ? [] : Object.entries(await configMapData(pod, configMapRef, client))
  const hidden = secretRef === undefined ? [] : Object.entries(await secretData(pod, secretRef, client))
  return [...maps, ...hidden].map(([name, value]) => [`${prefix}${name}`, value] as const)
}

interface Reference {
  readonly name?: string
  readonly key?: string
  readonly optional?: boolean
}

type Data = Readonly<Record<string, string>>

async function configMapData(pod: Pod, reference: Reference, client: Client): Promise<Data> {
  const read = client.get(configMaps, `${pod.metadata.namespace}/${reference.name}`)
  return (await orMissing(read, reference, `configmap "${reference.name}" not found`))?.data ?? {}
}

async function secretData(pod: Pod, reference: Reference, client: Client): Promise<Data> {
  const read = client.get(secrets, `${pod.metadata.namespace}/${reference.name}`)
  const { data = {} } = (await orMissing(read, reference, `secret "${reference.name}" not found`)) ?? {}
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text, "base64").toString()]))
}

async function orMissing<T>(read: Promise<T>, { optional }: Reference, message: string): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (!isNotFound(error)) throw error
    return optional ? undefined : missing(message)
  }
}

function keyOf(data: Data, { key = "", optional }: Reference, where: string): string | undefined {
  return data[key] ?? (optional ? undefined : missing(`couldn't find key ${key} in ${where}`))
}

function missing(message: string): never {
  throw new PilothouseError("INVALID", message)
}

/** Returns a field of the pod, for the environment of a container. Undefined: there is no such field. */
export function downwardField(pod: Pod, path: string): string | undefined {
  const { metadata, spec, status } = pod
  const [, kind, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? []
  if (key !== undefined) return metadata[kind as "labels" | "annotations"]?.[key] ?? ""
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName ?? "default",
    "status.hostIP": status?.hostIP,
    "status.hostIPs": status?.hostIPs?.map(({ ip }) => ip).join(","),
    "status.podIP": status?.podIP,
    "status.podIPs": status?.podIPs?.map(({ ip }) => ip).join(","),
  }
  return fields[path]
}

/** What a container without a limit may have all of. */
const ofNode: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

/** Returns how much of a resource a container may have, in whole units of the divisor, rounded up; without a limit, what its node has to give. */
export function downwardResource(
  pod: Pod,
  own: Container,
  { containerName, resource, divisor = "1" }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, string>> = {},
): string {
  const { resources } = containerNamed(pod, containerName) ?? own
  const [which = "", name = ""] = resource.split(/\.(.*)/)
  const unlimited = which === "limits" && ofNode.has(name) ? allocatable[name] : undefined
  const amount = resources?.[which as "limits" | "requests"]?.[name] ?? unlimited ?? "0"
  const unit = divisor === "0" ? "1" : divisor
  return String(Math.ceil(thousandths(amount) / thousandths(unit)))
}

function containerNamed({ spec }: Pod, wanted: string | undefined): Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find(({ name }) => name === wanted)
}

function thousandths(quantity: string): number {
  return amountMilliValue(parseQuantity(quantity))
}
