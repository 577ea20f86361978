import { deepEqual, formatTime, type KubeObject } from "@pilothouse/api"
import { type APIService, apiServices } from "@pilothouse/api/apiregistration/v1"
import { builtInPriority, type Priority } from "../discovery/group-priorities.ts"
import { localCondition } from "../resources/policy/api-service.ts"
import type { Server } from "../server/server.ts"
import type { Amended, Wanted } from "./wanted.ts"

/** Says when the server corrects an APIService: "onstart", or "true" for at any time. */
export const managedLabel = "kube-aggregator.kubernetes.io/automanaged"

/** Answered before any APIService is looked at. */
const ownGroup = "apiregistration.k8s.io"

type LocalApiService = Omit<APIService, "metadata"> & { readonly metadata: { readonly name: string } }

/** Those of built-in group versions are the same in every server of a process but for their times. */
const builtIn = new Map<string, readonly LocalApiService[]>()

/** Returns the APIServices of what this server answers itself without a definition. Those of extensions may be replaced by others' for good. */
export function localApiServices({ extensions, clock, registry }: Pick<Server, "extensions" | "clock" | "registry">): readonly Wanted[] {
  const status = { conditions: [{ ...localCondition, lastTransitionTime: formatTime(clock.now()) }] }
  const labels = { [managedLabel]: "onstart" }
  const extended = extensions.map(({ prefix }) => prefix).filter((prefix) => /^\/apis\/[^/]+\/[^/]+$/.test(prefix))
  return [
    ...registry
      .builtInGroupVersions()
      .flatMap(builtInApiService)
      .map((local): Wanted => {
        const object = { ...local, metadata: { ...local.metadata, labels }, status }
        return { descriptor: apiServices, object, amend: (stored) => withSpec(stored, object) }
      }),
    ...extended.flatMap((prefix): readonly Wanted[] =>
      localApiService(prefix.slice("/apis/".length)).map((local) => ({ descriptor: apiServices, object: { ...local, status } })),
    ),
  ]
}

function builtInApiService(groupVersion: string): readonly LocalApiService[] {
  const made = builtIn.get(groupVersion) ?? localApiService(groupVersion)
  builtIn.set(groupVersion, made)
  return made
}

/** None of a group version that has no place among upstream's. */
function localApiService(groupVersion: string): readonly LocalApiService[] {
  const [version = "", group = ""] = groupVersion.split("/").reverse()
  const priority = builtInPriority(group, version)
  if (group === ownGroup || priority === undefined) return []
  return [
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${group}` },
      spec: specOf(group, version, priority),
    },
  ]
}

/** Returns the spec of the APIService of a group version that this server answers itself. */
export function specOf(group: string, version: string, priority: Priority): NonNullable<APIService["spec"]> {
  return {
    ...(group !== "" && { group }),
    version,
    groupPriorityMinimum: priority.group,
    versionPriority: priority.version,
  }
}

/** Of one that a client has taken over nothing is put right. */
function withSpec(stored: KubeObject, { spec }: APIService): Amended | undefined {
  const isManaged = stored.metadata.labels?.[managedLabel] === "onstart"
  if (!isManaged || deepEqual((stored as APIService).spec, spec)) return undefined
  const object = { ...stored, spec } as APIService
  return { object }
}
