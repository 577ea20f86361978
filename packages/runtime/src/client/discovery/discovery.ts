import { apiVersionOf, type Descriptor, isNotFound, statusErrorIn } from "@pilothouse/api"
import { abortable, type Clock, closest, messageOf, PilothouseError } from "@pilothouse/seams"
import type { CallOptions } from "../wire/options.ts"
import type { Sender } from "../wire/sender.ts"
import { aggregatedTypes, fromAggregated, isAggregated, otherKind, staleVersions } from "./aggregated.ts"

/** Milliseconds between refreshes for unknown kinds. A custom resource appears in discovery about a second after its definition. */
const minInterval = 5000

/** A group and version whose discovery failed. */
export interface FailedGroup {
  /** "metrics.k8s.io/v1beta1" */
  readonly groupVersion: string
  readonly message: string
}

export interface DiscoverOptions extends CallOptions {
  /** Milliseconds; a cached result that is younger is used. 0 by default. */
  readonly youngerThan?: number
}

/** The result of one discovery. */
export interface Discovered {
  readonly resources: readonly Descriptor[]
  readonly failed: readonly FailedGroup[]
}

/**
 * Discovery of the resources of a server, by which a kind finds its path (upstream's RESTMapper). Invariant: at most one refresh is in flight; the
 * known resources are the result of one refresh.
 */
export class Discovery {
  readonly #sender: Sender
  readonly #clock: Pick<Clock, "elapsed"> | undefined
  #last: Discovered | undefined
  #refreshedAt: number | undefined
  #refreshing: Promise<Discovered> | undefined

  constructor(sender: Sender, clock?: Pick<Clock, "elapsed">) {
    this.#sender = sender
    this.#clock = clock
  }

  /** Finds a resource by apiVersion and kind. Refreshes for an unknown kind, but not every time. */
  async find(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Descriptor> {
    const matches = (descriptor: Descriptor) => descriptor.kind === kind && apiVersionOf(descriptor) === apiVersion
    const [found] = await this.#matching(matches, options)
    if (found === undefined) throw unknownKind(apiVersion, kind, this.#last?.resources ?? [])
    return found
  }

  /** Returns all versions of a kind, in the server's order. Refreshes for an unknown kind, but not every time. */
  versionsOf(group: string, kind: string, options: CallOptions = {}): Promise<readonly Descriptor[]> {
    return this.#matching((descriptor) => descriptor.kind === kind && descriptor.group === group, options)
  }

  /** Refreshes; concurrent callers share one refresh, which an aborted caller does not end. */
  refresh({ signal, youngerThan = 0 }: DiscoverOptions = {}): Promise<Discovered> {
    if (this.#last !== undefined && this.#age() < youngerThan) return abortable(Promise.resolve(this.#last), signal)
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined
    })
    return abortable(this.#refreshing, signal)
  }

  async #matching(matches: (descriptor: Descriptor) => boolean, options: CallOptions): Promise<readonly Descriptor[]> {
    const known = this.#last?.resources.filter(matches) ?? []
    if (known.length > 0) return known
    return (await this.refresh({ ...options, youngerThan: minInterval })).resources.filter(matches)
  }

  #age(): number {
    if (this.#refreshedAt === undefined || this.#clock === undefined) return Number.POSITIVE_INFINITY
    return this.#clock.elapsed() - this.#refreshedAt
  }

  async #fetch(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#resourcesAt("/api"), this.#resourcesAt("/apis")])
    this.#last = { resources: [...core.resources, ...groups.resources], failed: [...core.failed, ...groups.failed] }
    this.#refreshedAt = this.#clock?.elapsed()
    return this.#last
  }

  async #resourcesAt(path: "/api" | "/apis"): Promise<Discovered> {
    const answer = await this.#sender.other<{ readonly kind: string }>({ verb: "GET", path, headers: { accept: aggregatedTypes } })
    if (!isAggregated(answer)) return legacyResources(this.#sender, answer)
    return { resources: fromAggregated(answer), failed: staleVersions(answer) }
  }
}

function unknownKind(apiVersion: string, kind: string, resources: readonly Descriptor[]): PilothouseError {
  const elsewhere = resources.filter((descriptor) => descriptor.kind === kind).map(apiVersionOf)
  const alike = nearestKind(apiVersion, kind, resources)
  const hint =
    elsewhere.length > 0
      ? `it has ${kind} in ${elsewhere.join(", ")}; use that apiVersion`
      : alike === undefined
        ? "check the spelling, or install the CustomResourceDefinition"
        : `did you mean ${alike}?`
  return new PilothouseError("INVALID", `expected a kind that the server has, found ${apiVersion} ${kind}; ${hint}`)
}

/** "Deployment", or with its apiVersion where that differs; the same apiVersion is preferred. */
function nearestKind(apiVersion: string, kind: string, resources: readonly Descriptor[]): string | undefined {
  const isHere = (one: Descriptor) => apiVersionOf(one) === apiVersion
  // Typing errors are rare in the first letter: Gadget is not Widget, but a kind whose definition is missing.
  const alike = resources.filter((one) => one.kind[0]?.toLowerCase() === kind[0]?.toLowerCase())
  const near = (among: readonly Descriptor[]) => {
    const names = among.map((one) => one.kind.toLowerCase())
    return among[names.indexOf(closest(kind.toLowerCase(), names) ?? "")]
  }
  const found = near(alike.filter(isHere)) ?? near(alike)
  return found && (isHere(found) ? found.kind : `${found.kind} of ${apiVersionOf(found)}`)
}

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
async function legacyResources(sender: Sender, { versions, groups }: Root): Promise<Discovered> {
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
