import { splitKey } from "@pilothouse/api"
import type { LabeledVolume } from "./volumes.ts"

/** A volume that two pods have with different labels, or different policies; each of them gets an event. */
export interface Conflict {
  readonly property: "SELinuxLabel" | "SELinuxChangePolicy"
  readonly pod: string
  readonly value: string
  readonly other: string
  readonly otherValue: string
}

/** Returns the conflicts of two pods about a volume, each from both sides. */
export function conflictsBetween(pod: string, own: LabeledVolume, other: string, theirs: LabeledVolume): readonly Conflict[] {
  const bothSides = (property: Conflict["property"], value: string, otherValue: string): readonly Conflict[] => [
    { property, pod, value, other, otherValue },
    { property, pod: other, value: otherValue, other: pod, otherValue: value },
  ]
  return [
    ...(own.policy === theirs.policy ? [] : bothSides("SELinuxChangePolicy", own.policy, theirs.policy)),
    ...(differ(own.label, theirs.label) ? bothSides("SELinuxLabel", own.label, theirs.label) : []),
  ]
}

/**
 * Reports whether two labels conflict. A node fills in a user, role or type that is left out, so an empty one fits every other; it has no default for
 * the level: "::t:s0" and "u:r:t:s0" fit, ":::s0" and "" do not.
 */
export function differ(a: string, b: string): boolean {
  const [ours, theirs] = [partsOf(a), partsOf(b)]
  return ours.some((part, at) => part !== theirs[at] && (at === 3 || (part !== "" && theirs[at] !== "")))
}

/** A level has colons of its own: "s0:c1,c2". */
function partsOf(label: string): readonly string[] {
  const [user = "", role = "", type = "", ...level] = label.split(":")
  return [user, role, type, level.join(":")]
}

/** The words of the event, upstream's: with a pod of another namespace they do not name it, and a blank is missing. */
export function messageOf({ property, pod, value, other, otherValue }: Conflict): string {
  const end = "If both pods land on the same node, only one of them may access the volume."
  const [{ namespace }, { namespace: otherNamespace, name }] = [splitKey(pod), splitKey(other)]
  if (namespace === otherNamespace)
    return `${property} "${value}" conflicts with pod ${name} that uses the same volume as this pod with ${property} "${otherValue}". ${end}`
  return `${property}"${value}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${end}`
}
