import type { Deferred, Step } from "../xds/step.ts"

/** Names that are subscribed to or unsubscribed from in one turn of the event loop: some 10 ms of work. */
export const namesPerPart = 5_000

/** A part of what a long request changes. */
export interface SubscriptionPart {
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  readonly deferred: Deferred
}

/** Whether a request changes more than is carried out in one turn. */
export function isLong({ subscription, deferred }: Step): boolean {
  const changed = (subscription?.added.length ?? 0) + (subscription?.dropped.length ?? 0)
  return changed + (deferred?.names.length ?? 0) + (deferred?.forced.length ?? 0) > 2 * namesPerPart
}

/**
 * Divides what a long request changes. What is dropped comes first, so that one that exchanges all names stays within its limits; what is answered comes last,
 * when the client is subscribed to it.
 */
export function* partsOf({ subscription, deferred }: Step): IterableIterator<SubscriptionPart> {
  const none: SubscriptionPart = { added: [], dropped: [], deferred: { names: [], forced: [] } }
  for (const dropped of slices(subscription?.dropped)) yield { ...none, dropped }
  for (const added of slices(subscription?.added)) yield { ...none, added }
  for (const names of slices(deferred?.names)) yield { ...none, deferred: { names, forced: [] } }
  for (const forced of slices(deferred?.forced)) yield { ...none, deferred: { names: [], forced } }
}

function* slices(names: readonly string[] = []): IterableIterator<readonly string[]> {
  for (let at = 0; at < names.length; at += namesPerPart) yield names.slice(at, at + namesPerPart)
}
