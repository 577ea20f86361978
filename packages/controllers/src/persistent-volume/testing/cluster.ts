import { events, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { type ClaimOptions, claim as fullClaim } from "./objects.ts"

export const root = "/srv/volumes"

export function newFiles(): Files {
  return virtualFiles(new VirtualClock())
}

/** The options of a cluster with all volume controllers, and directories as volumes. */
export function withVolumes(files: Files, { needs, settings, ...options }: ClusterOptions = {}): ClusterOptions {
  return {
    controllers: ["persistentvolume-binder", "pv-protection", "pvc-protection"],
    settings: { "enable-hostpath-provisioner": true, ...settings },
    needs: { files, volumeRoot: root, ...needs },
    ...options,
  }
}

export function start(files: Files, options: ClusterOptions = {}): Promise<Cluster> {
  return cluster(withVolumes(files, options))
}

/** As a person would write it. */
export function claim(name: string, options: ClaimOptions = {}): PersistentVolumeClaim {
  const { apiVersion, kind, metadata, spec } = fullClaim(name, options)
  const { namespace = "default", annotations, labels } = metadata
  return { apiVersion, kind, metadata: { name, namespace, ...(annotations && { annotations }), ...(labels && { labels }) }, spec }
}

/** "data Bound": claims and their phases, by name. */
export async function claims(running: Cluster): Promise<readonly string[]> {
  return (await running.list(persistentVolumeClaims)).map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort()
}

/** "v Bound data": volumes, their phases and their claims, by name; those that were made are called "made". */
export async function volumes(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(persistentVolumes)
  return all
    .map(({ metadata, spec, status }) =>
      [metadata.name?.replace(/^pvc-.*/, "made"), status?.phase, spec?.claimRef?.name].filter(Boolean).join(" "),
    )
    .sort()
}

/** "ClaimLost: …", each once. */
export async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  const ours = all.filter(({ source }) => source?.component === "persistentvolume-controller")
  return [...new Set(ours.map(({ reason, message }) => `${reason}: ${message?.replace(/pvc-[0-9a-f-]{36}/g, "made")}`))]
}
