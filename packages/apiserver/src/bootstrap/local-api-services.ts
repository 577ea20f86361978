import { deepEqual, formatTime, type KubeObject } from "@pilothouse/api"
import { type APIService, apiServices } from "@pilothouse/api/apiregistration/v1"
import { builtInPriority, type Priority } from "../discovery/group-priorities.ts"
import { localCondition } from "../resources/policy/api-service.ts"
import type { Server } from "../server/server.ts"
import type { Wanted } from "./wanted.ts"

/** Says when the server corrects an APIService: "onstart", or "true" for at any time. */
export const managedLabel = "kube-aggregator.kubernetes.io/automanaged"

/** Answered before any APIService is looked at. */
const ownGroup = "apiregistration.k8s.io"

/** Returns the APIServices of what this server answers itself without a definition. Those of extensions may be replaced by others' for good. */
export function localApiServices({ registry, extensions, clock }: Pick<Server, "registry" | "extensions" | "clock">): readonly Wanted[] {
  const now = formatTime(clock.now())
  const builtIn = new Set(registry.builtInDescriptors().map(({ group, version }) => `${group}/${version}`))
  const extended = extensions.map(({ prefix }) => prefix).filter((prefix) => /^\/apis\/[^/]+\/[^/]+$/.test(prefix))
  return [
    ...[...builtIn].flatMap((groupVersion): readonly Wanted[] => {
      const object = localApiService(groupVersion, now, { [managedLabel]: "onstart" })
      return object === undefined ? [] : [{ descriptor: apiServices, object, amend: (stored) => withSpec(stored, object) }]
    }),
    ...extended.flatMap((prefix): readonly Wanted[] => {
      const object = localApiService(prefix.slice("/apis/".length), now)
      return object === undefined ? [] : [{ descriptor: apiServices, object }]
    }),
  ]
}

function localApiService(groupVersion: string, now: string, labels?: Readonly<Record<string, string>>): APIService | undefined {
  const [group = "", version = ""] = groupVersion.split("/")
  const priority = builtInPriority(group, version)
  if (group === ownGroup || priority === undefined) return undefined
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}`, ...(labels !== undefined && { labels }) },
    spec: specOf(group, version, priority),
    status: { conditions: [{ ...localCondition, lastTransitionTime: now }] },
  }
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
function withSpec(stored: KubeObject, { spec }: APIService): KubeObject | undefined {
  const isManaged = stored.metadata.labels?.[managedLabel] === "onstart"
  return isManaged && !deepEqual((stored as APIService).spec, spec) ? ({ ...stored, spec } as APIService) : undefined
}
