import {
  type ConfigMap,
  type Container,
  configMaps,
  type EnvFromSource,
  type EnvVar,
  type Pod,
  pods,
  type Secret,
  secrets,
  type Volume,
} from "@pilothouse/api/core/v1"
import { index, type Reader } from "@pilothouse/runtime"

/** Something that a pod takes from a ConfigMap or a Secret. */
interface Reference {
  readonly kind: "ConfigMap" | "Secret"
  readonly name: string
  /** Those that have to be in it. */
  readonly keys: readonly string[]
}

/** What a ConfigMap or Secret has. */
export interface Keys {
  readonly text: readonly string[]
  /** Of a ConfigMap: these can be files, and no variables. */
  readonly binary: readonly string[]
}

/** Undefined where there is none. */
export type FindKeys = (kind: Reference["kind"], key: string) => Keys | undefined

/** Returns a lookup of ConfigMaps and Secrets in the cache. */
export function findKeysIn(read: Reader): FindKeys {
  return (kind, key) => {
    const found = kind === "ConfigMap" ? read.get(configMaps, key) : read.get(secrets, key)
    return found && keysOf(found)
  }
}

/** Returns the keys of a ConfigMap or Secret. */
export function keysOf(object: ConfigMap | Secret): Keys {
  const binary = "binaryData" in object ? object.binaryData : undefined
  return { text: Object.keys(object.data ?? {}), binary: Object.keys(binary ?? {}) }
}

/** Pods by what they refer to: "Secret default/token". What may be missing is not among it. */
export const podsByReference = index(pods, "config-reference", (pod) => {
  const { initContainers = [], containers = [], ephemeralContainers = [], volumes = [] } = pod.spec ?? {}
  const all = [...[...initContainers, ...containers, ...ephemeralContainers].flatMap(ofEnvironment), ...volumes.flatMap(ofVolume)]
  return [...new Set(all.map(({ kind, name }) => referenceName(kind, `${pod.metadata.namespace}/${name}`)))]
})

/** "ConfigMap default/web": the value of the index. */
export function referenceName(kind: Reference["kind"], key: string): string {
  return `${kind} ${key}`
}

/** Returns why a container cannot be configured, in a kubelet's words. */
export function environmentFault(pod: Pod, container: Container, find: FindKeys): string | undefined {
  return firstFault(ofEnvironment(container), pod, find, ({ kind, name, keys }, { text }) => {
    const missing = keys.find((key) => !text.includes(key))
    return missing === undefined ? undefined : `couldn't find key ${missing} in ${kind} ${pod.metadata.namespace}/${name}`
  })
}

/** Returns why the volumes of a pod cannot be mounted. */
export function volumeFault(pod: Pod, find: FindKeys): string | undefined {
  for (const volume of pod.spec?.volumes ?? []) {
    const fault = firstFault(ofVolume(volume), pod, find, ({ kind, keys }, { text, binary }) => {
      const missing = keys.find((key) => !text.includes(key) && !binary.includes(key))
      return missing === undefined ? undefined : `references non-existent ${kind === "ConfigMap" ? "config" : "secret"} key: ${missing}`
    })
    if (fault !== undefined) return `MountVolume.SetUp failed for volume "${volume.name}" : ${fault}`
  }
  return undefined
}

function firstFault(
  references: readonly Reference[],
  { metadata }: Pod,
  find: FindKeys,
  missingIn: (reference: Reference, found: Keys) => string | undefined,
): string | undefined {
  for (const reference of references) {
    const { kind, name } = reference
    const found = find(kind, `${metadata.namespace}/${name}`)
    const fault = found === undefined ? `${kind.toLowerCase()} "${name}" not found` : missingIn(reference, found)
    if (fault !== undefined) return fault
  }
  return undefined
}

function ofEnvironment({ envFrom = [], env = [] }: Pick<Container, "env" | "envFrom">): readonly Reference[] {
  return [...envFrom.flatMap(ofSource), ...env.flatMap(ofVariable)]
}

function ofSource({ configMapRef, secretRef }: EnvFromSource): readonly Reference[] {
  return [...needed("ConfigMap", configMapRef), ...needed("Secret", secretRef)]
}

function ofVariable({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }: EnvVar): readonly Reference[] {
  return [
    ...needed("ConfigMap", configMapKeyRef, configMapKeyRef && [configMapKeyRef.key]),
    ...needed("Secret", secretKeyRef, secretKeyRef && [secretKeyRef.key]),
  ]
}

/** Every pod is given it with its token, and not every cluster publishes it. */
const authority = "kube-root-ca.crt"

function ofVolume({ configMap, secret, projected }: Volume): readonly Reference[] {
  const parts = (projected?.sources ?? []).filter((source) => source.configMap?.name !== authority)
  return [
    ...needed("ConfigMap", configMap, keysIn(configMap?.items)),
    ...needed("Secret", secret && { name: secret.secretName, optional: secret.optional }, keysIn(secret?.items)),
    ...parts.flatMap((part) => needed("ConfigMap", part.configMap, keysIn(part.configMap?.items))),
    ...parts.flatMap((part) => needed("Secret", part.secret, keysIn(part.secret?.items))),
  ]
}

function keysIn(items: readonly { readonly key: string }[] = []): readonly string[] {
  return items.map(({ key }) => key)
}

function needed(
  kind: Reference["kind"],
  asked: { readonly name?: string; readonly optional?: boolean } | undefined,
  keys: readonly string[] = [],
): readonly Reference[] {
  return asked?.name === undefined || asked.optional ? [] : [{ kind, name: asked.name, keys }]
}
