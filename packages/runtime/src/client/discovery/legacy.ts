import { type Descriptor, isNotFound, statusErrorIn } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import type { Sender } from "../wire/sender.ts"
import { otherKind } from "./aggregated.ts"
import type { Discovered, FailedGroup } from "./discovery.ts"

interface ApiResource {
  /** "pods", or "pods/status". */
  readonly name: string
  readonly singularName?: string
  readonly namespaced: boolean
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

interface ResourceList {
  readonly resources?: readonly ApiResource[]
}

interface Root {
  readonly kind: string
  /** Of /api. */
  readonly versions?: readonly string[]
  /** Of /apis. */
  readonly groups?: readonly { readonly name: string; readonly versions?: readonly { readonly version: string }[] }[]
}

/** One request for each group and version, for servers before 1.26 and some extension servers. */
export async function legacyResources(sender: Sender, { versions, groups }: Root): Promise<Discovered> {
  const failed: FailedGroup[] = []
  const groupVersions = [
    ...(versions ?? []).map((version) => ({ group: "", version, path: `/api/${version}` })),
    ...(groups ?? []).flatMap(({ name, versions: served }) =>
      (served ?? []).map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    ),
  ]
  const lists = await Promise.all(
    groupVersions.map(async ({ group, version, path }) => {
      const answer = await sender.other<ResourceList>({ verb: "GET", path }).catch((error: unknown) => {
        const groupVersion = group === "" ? version : `${group}/${version}`
        // A group that was removed between the two requests is empty; one that is down must not hide all others.
        if (!isNotFound(error)) failed.push({ groupVersion, message: messageOf(refusal(error)) })
        return {} as ResourceList
      })
      return fromList(group, version, answer.resources ?? [])
    }),
  )
  return { resources: lists.flat(), failed }
}

/** Rethrows errors that are not a response of the group, such as a lost connection. */
function refusal(error: unknown): unknown {
  if (statusErrorIn(error) === undefined) throw error
  return error
}

function fromList(group: string, version: string, list: readonly ApiResource[]): readonly Descriptor[] {
  return list.filter(({ name }) => !name.includes("/")).map((resource) => descriptorOf(group, version, resource, list))
}

function descriptorOf(group: string, version: string, resource: ApiResource, list: readonly ApiResource[]): Descriptor {
  const { kind, name: plural, singularName, namespaced, shortNames = [], categories = [] } = resource
  const below = list.filter(({ name }) => name.startsWith(`${plural}/`))
  const subresources = below.map((one) => ({
    name: one.name.slice(plural.length + 1),
    verbs: one.verbs ?? [],
    ...otherKind(one, { group, version, kind }),
  }))
  return {
    group,
    version,
    kind,
    plural,
    singular: singularName || kind.toLowerCase(),
    namespaced,
    // Go writes a list without anything as null.
    verbs: resource.verbs ?? [],
    shortNames,
    categories,
    subresources,
  }
}
