import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import { podTemplateOf } from "../../admission/pods/pod-templates.ts"
import type { Draft } from "../../body/draft.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Sources of projected volumes that need a group version which is off by default. */
const sources = ["clusterTrustBundle", "podCertificate"] as const

/** The group version whose objects such sources are made of. */
const projectionsVersion = "certificates.k8s.io/v1beta1"

/** The group version of PodGroups, which pods name. */
const groupsVersion = "scheduling.k8s.io/v1alpha2"

/**
 * Returns the strategy of a kind, of pods or with a template of pods, on a server that does not serve what fields of pods need: those sources, and the
 * group that a pod names, are left out of what is written, as upstream does while their feature gates are off. An object that has one already keeps it.
 */
export function withoutDisabledFields(
  strategy: ResourceStrategy,
  descriptor: Pick<Descriptor, "group" | "plural">,
  enabledVersions: readonly string[],
): ResourceStrategy {
  const specOf = podSpecOf(descriptor)
  const disabledSources = enabledVersions.includes(projectionsVersion) ? [] : sources
  const hasGroups = enabledVersions.includes(groupsVersion)
  if (specOf === undefined || (disabledSources.length === 0 && hasGroups)) return strategy
  const drop = (object: Draft<KubeObject>, old?: KubeObject) => {
    const spec = specOf(object as KubeObject) as Draft<PodSpec> | undefined
    const before = old && specOf(old)
    for (const name of spec?.volumes?.some(({ projected }) => projected !== undefined) === true ? disabledSources : []) {
      if (!uses(before, name)) dropSource(spec!, name)
    }
    if (!hasGroups && spec?.schedulingGroup !== undefined && before?.schedulingGroup === undefined) delete spec.schedulingGroup
  }
  return {
    ...strategy,
    prepareForCreate(object, context) {
      strategy.prepareForCreate?.(object, context)
      drop(object)
    },
    prepareForUpdate(object, old, context) {
      strategy.prepareForUpdate?.(object, old, context)
      drop(object, old)
    },
  }
}

/** Undefined for a kind that has no pods. */
function podSpecOf({ group, plural }: Pick<Descriptor, "group" | "plural">): ((object: KubeObject) => PodSpec | undefined) | undefined {
  if (group === pods.group && plural === pods.plural) return (object) => (object as Pod).spec
  const templateOf = podTemplateOf({ group, plural })
  return templateOf && ((object) => templateOf(object)?.spec)
}

type Source = (typeof sources)[number]

function uses(spec: PodSpec | undefined, name: Source): boolean {
  return spec?.volumes?.some(({ projected }) => projected?.sources?.some((source) => source[name] !== undefined)) === true
}

function dropSource(spec: Draft<PodSpec>, name: Source): void {
  for (const { projected } of spec.volumes ?? []) for (const source of projected?.sources ?? []) delete source[name]
}
