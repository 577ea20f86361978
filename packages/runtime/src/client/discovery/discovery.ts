import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { abortable, type Clock, closest, PilothouseError } from "@pilothouse/seams"
import type { CallOptions } from "../wire/options.ts"
import type { Sender } from "../wire/sender.ts"
import { aggregatedTypes, fromAggregated, isAggregated, staleVersions } from "./aggregated.ts"
import { legacyResources } from "./legacy.ts"

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
 * Discovery of the resources of a server. Invariant: at most one refresh is in flight; the known resources are the result of one refresh.
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
