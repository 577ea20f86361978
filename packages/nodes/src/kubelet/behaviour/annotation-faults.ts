import { parseQuantity } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { closest } from "@pilothouse/seams"
import { annotationPrefix } from "./behaviour.ts"
import { durationIn, parseCurve } from "./curve.ts"

interface Kind {
  readonly expected: string
  /** It cannot be said of one container alone. */
  readonly ofPod?: true
  isReadable(text: string): boolean
}

const duration: Kind = { expected: "a duration such as 3s", isReadable: (text) => durationIn(text) !== undefined }
const truth: Kind = {
  expected: "true, false, or a curve such as 0s=true,60s=false",
  isReadable: (text) => parseCurve(text)?.every((point) => point.text === "true" || point.text === "false") ?? false,
}
const amount: Kind = {
  expected: "a quantity such as 100m, or a curve such as 0s=100m,60s=900m",
  isReadable: (text) => parseCurve(text)?.every((point) => isQuantity(point.text)) ?? false,
}

/** What each annotation takes. */
const annotations: Readonly<Record<string, Kind>> = {
  "start-time": { ...duration, ofPod: true },
  "run-time": { expected: "a duration such as 30s, or forever", isReadable: (text) => text === "forever" || duration.isReadable(text) },
  "exit-code": { expected: "a whole number", isReadable: (text) => /^-?\d+$/.test(text) },
  "ready-delay": duration,
  ready: truth,
  alive: truth,
  "stop-time": { ...duration, ofPod: true },
  "pull-error": { expected: "true, false, or a reason", isReadable: () => true },
  cpu: amount,
  memory: amount,
}

/** Returns the annotations of a pod that its kubelet cannot parse, and what it expected. */
export function annotationFaults({ metadata, spec }: Pod): readonly string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name)
  const ours = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith(annotationPrefix))
  return ours.flatMap(([name, text]) => faultsOf(name.slice(annotationPrefix.length), text, containers))
}

function faultsOf(name: string, text: string, containers: readonly string[]): readonly string[] {
  const [what = "", ...rest] = name.split(".")
  const container = rest.join(".")
  const kind = Object.hasOwn(annotations, what) ? annotations[what] : undefined
  if (kind === undefined) return [`${annotationPrefix}${name} is not known${hint(what, Object.keys(annotations))}`]
  if (rest.length > 0 && kind.ofPod) return [`${annotationPrefix}${name}: ${what} is for the whole pod, and not for a container`]
  if (rest.length > 0 && !containers.includes(container))
    return [`${annotationPrefix}${name} is for a container that the pod does not have${hint(container, containers)}`]
  return kind.isReadable(text) ? [] : [`${annotationPrefix}${name}: expected ${kind.expected}, found "${text}"`]
}

function hint(word: string, known: readonly string[]): string {
  const near = closest(word, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}
