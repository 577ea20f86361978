import type { KubeObject } from "@pilothouse/api"
import { storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { namespaces, nodes, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { Files } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { expect } from "vitest"
import { namespace, objectsOffByDefault, oneOfEverything, rootCa, surroundings, versionsOffByDefault } from "./everything.ts"

export const root = "/srv/volumes"

/** Every controller there is, with all that they need. */
export async function start(files: Files, { settings, ...options }: ClusterOptions = {}): Promise<Cluster> {
  return cluster({
    nodes: 2,
    enabledVersions: versionsOffByDefault,
    needs: { files, volumeRoot: root, rootCa },
    settings: { "enable-hostpath-provisioner": true, ...settings },
    ...options,
  })
}

/** "deployments.apps web": whatever there is in a namespace, Events left out. */
export async function contentOf(running: Cluster, where: string): Promise<readonly string[]> {
  const { resources } = await running.client.discover()
  const kinds = resources.filter(({ namespaced, verbs, kind }) => namespaced && verbs.includes("list") && kind !== "Event")
  const lists = await Promise.all(
    kinds.map(async (of) =>
      (await running.list(of, { namespace: where })).map(({ metadata }) => `${of.plural}.${of.group} ${metadata.name}`),
    ),
  )
  return lists.flat().sort()
}

async function podsOf(running: Cluster, app: string): Promise<readonly string[]> {
  const all = await running.list(pods, { namespace, labelSelector: `app=${app}` })
  return all.map(({ status, spec }) => `${status?.phase} ${spec?.containers[0]?.image}`).sort()
}

export async function allIsThere(running: Cluster, replicas: number, image: string): Promise<void> {
  const up = `Running ${image}`
  expect(await podsOf(running, "deployment")).toEqual(Array(replicas).fill(up))
  expect(await podsOf(running, "stateful")).toEqual(Array(replicas).fill(up))
  expect(await podsOf(running, "daemon")).toEqual(Array(2).fill(up))
  expect(await podsOf(running, "replicaset")).toHaveLength(replicas)
  expect(await podsOf(running, "controller")).toHaveLength(replicas)
  expect(await podsOf(running, "scaled")).toHaveLength(3)
}

export async function made(running: Cluster): Promise<void> {
  for (const object of [...surroundings, ...objectsOffByDefault, ...oneOfEverything()]) await running.apply(object)
  await storedByGoneServer(running)
  await running.advance("3m")
}

/** An API server that does not exist says in which version it stores Deployments. */
export async function storedByGoneServer(running: Cluster): Promise<void> {
  const found = await running.client.get(storageVersions, "apps.deployments")
  const gone = { apiServerID: "gone", encodingVersion: "apps/v1", decodableVersions: ["apps/v1"] }
  await running.client.updateStatus(storageVersions, { ...found, status: { storageVersions: [gone], commonEncodingVersion: "apps/v1" } })
}

/** As kubelets leave it to the controller to attach volumes, and a user wants more of one. */
export async function attachAndExpand(running: Cluster): Promise<void> {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" }
  for (const { metadata } of await running.list(nodes))
    await running.client.patch(nodes, metadata.name ?? "", { metadata: { annotations } })
  await running.client.patch(persistentVolumeClaims, `${namespace}/expanded`, { spec: { resources: { requests: { storage: "2Mi" } } } })
}

export async function isGone(running: Cluster): Promise<boolean> {
  return !(await running.list(namespaces)).some(({ metadata }) => metadata.name === namespace)
}

/** What can be scaled or given an image; the rest is not changed again. */
export function isSized({ kind }: KubeObject): boolean {
  return ["Deployment", "ReplicaSet", "ReplicationController", "DaemonSet", "StatefulSet"].includes(kind)
}
