import type { Volume } from "@pilothouse/api/core/v1"
import { type CheckPod, joinQuoted, plural, sortedUnique } from "./check.ts"

export const hostPathVolumes: CheckPod = ({ volumes = [] }) => {
  const names = volumes.flatMap(({ name, hostPath }) => (hostPath === undefined ? [] : [name]))
  if (names.length === 0) return undefined
  return { reason: "hostPath volumes", detail: `${plural(names.length, "volume")} ${joinQuoted(names)}` }
}

/** Sources that show a pod nothing of the node. */
const allowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof Volume)[]

/** The first of them names a volume that has several. */
const restricted = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies readonly (keyof Volume)[]

export const restrictedVolumes: CheckPod = ({ volumes = [] }) => {
  const forbidden = volumes.filter((volume) => allowed.every((source) => volume[source] === undefined))
  if (forbidden.length === 0) return undefined
  const types = sortedUnique(forbidden.map((volume) => restricted.find((source) => volume[source] !== undefined) ?? "unknown"))
  const names = `${plural(forbidden.length, "volume")} ${joinQuoted(forbidden.map(({ name }) => name))}`
  const use = `${plural(forbidden.length, "uses", "use")} ${plural(types.length, "restricted volume type")}`
  return { reason: "restricted volume types", detail: `${names} ${use} ${joinQuoted(types)}` }
}
