import {
  type Amount,
  addAmounts,
  deepEqual,
  isInQuotaScopes,
  isZeroAmount,
  type KubeObject,
  quotaUsage,
  type Resources,
  subtractAmounts,
  zeroAmount,
} from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"

type Kind = Parameters<typeof quotaUsage>[0]

/** No usage that is added up here depends on the time. */
const whenever = 0

/**
 * What the objects of one kind use of one quota, told of one object at a time: a namespace of a thousand pods is not counted again for each that goes.
 * What was told is worked out when somebody asks: a kubelet writes the status of a pod many times between two looks at its quota.
 * What is being deleted is kept aside: of a pod that should be gone the time decides. So is what cannot be counted: the look at the quota says why.
 * Always true between calls: the sum is that of what is counted; of the objects that are worked out, those in the quota's scopes are counted or aside;
 * what waits to be worked out is there now, or was at the last look: a quota that nobody asks about any more does not keep the name of all that ever was.
 */
export class StandingUsage {
  readonly #kind: Kind
  readonly #quota: ResourceQuota
  readonly #told = new Map<string, KubeObject | undefined>()
  readonly #sum = new Map<string, Amount>()
  readonly #counted = new Map<string, Resources>()
  readonly #aside = new Map<string, KubeObject>()

  constructor(kind: Kind, quota: ResourceQuota) {
    this.#kind = kind
    this.#quota = quota
  }

  /** Whether the quota still asks the same of an object. */
  isFor({ spec }: ResourceQuota): boolean {
    const { scopes, scopeSelector } = this.#quota.spec ?? {}
    return deepEqual(scopes, spec?.scopes) && deepEqual(scopeSelector, spec?.scopeSelector)
  }

  /** What stands under a key now; undefined: nothing. */
  tell(key: string, object: KubeObject | undefined): void {
    if (object === undefined && !this.#counted.has(key) && !this.#aside.has(key)) this.#told.delete(key)
    else this.#told.set(key, object)
  }

  /** How many objects wait to be worked out. */
  get waiting(): number {
    return this.#told.size
  }

  /** What is used under these names, zero where nothing is; and what has to be counted beside it, at the moment. */
  under(names: readonly string[]): { readonly standing: Resources; readonly objects: readonly KubeObject[] } {
    for (const [key, object] of this.#told) this.#workOut(key, object)
    this.#told.clear()
    return { standing: new Map(names.map((name) => [name, this.#sum.get(name) ?? zeroAmount])), objects: [...this.#aside.values()] }
  }

  #workOut(key: string, object: KubeObject | undefined): void {
    this.#take(key)
    if (object === undefined) return
    try {
      if (isInQuotaScopes(this.#quota, this.#kind, object)) this.#put(key, object)
    } catch {
      this.#aside.set(key, object)
    }
  }

  #put(key: string, object: KubeObject): void {
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#aside.set(key, object)
      return
    }
    const usage = quotaUsage(this.#kind, object, whenever)
    for (const [name, amount] of usage) this.#change(name, addAmounts(this.#sum.get(name) ?? zeroAmount, amount))
    this.#counted.set(key, usage)
  }

  #take(key: string): void {
    this.#aside.delete(key)
    const usage = this.#counted.get(key)
    if (usage === undefined) return
    for (const [name, amount] of usage) this.#change(name, subtractAmounts(this.#sum.get(name) ?? zeroAmount, amount))
    this.#counted.delete(key)
  }

  /** Names of storage classes come and go. */
  #change(name: string, sum: Amount): void {
    if (isZeroAmount(sum)) this.#sum.delete(name)
    else this.#sum.set(name, sum)
  }
}
