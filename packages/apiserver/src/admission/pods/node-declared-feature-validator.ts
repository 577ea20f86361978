import { deepEqual } from "@pilothouse/api"
import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { type AdmissionPlugin, refusal } from "../plugin.ts"
import { nodeOfChanged } from "./pod-resize-validator.ts"

/** What a change of a pod needs of its node, by the name of the feature that the node declares. */
const features: Readonly<Record<string, (now: PodSpec, before: PodSpec) => boolean>> = {
  InPlacePodLevelResourcesVerticalScaling: (now, before) => !deepEqual(now.resources, before.resources),
  InPlacePodVerticalScalingInitContainers: ({ initContainers: now = [] }, { initContainers: before = [] }) =>
    before.some(
      ({ restartPolicy, resources }, index) => restartPolicy !== "Always" && !deepEqual(resources ?? {}, now[index]?.resources ?? {}),
    ),
}

/** Refuses changes of a pod that need a feature which its node does not declare. */
export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  validate(attributes) {
    const { object, old } = attributes
    const [now, before] = [(object as Pod | undefined)?.spec, (old as Pod | undefined)?.spec]
    if (now === undefined || before === undefined || attributes.operation !== "UPDATE") return
    const needed = Object.keys(features).filter((name) => features[name]!(now, before))
    const node = needed.length === 0 ? undefined : nodeOfChanged(attributes)
    if (node === undefined) return
    const missing = needed.filter((name) => !(node.status?.declaredFeatures ?? []).includes(name))
    if (missing.length === 0) return
    throw refusal(attributes, `pod update requires features ${missing.join(", ")} which are not available on node "${node.metadata.name}"`)
  },
}
