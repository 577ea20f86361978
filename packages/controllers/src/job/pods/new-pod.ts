import { type Job, jobs } from "@pilothouse/api/batch/v1"
import type { Container, Pod, PodTemplateSpec } from "@pilothouse/api/core/v1"
import { podFromTemplate } from "../../shared/pod-from-template.ts"
import { completionIndexKey } from "./completion-index.ts"
import { failureAnnotations, hasLimitPerIndex } from "./index-failures.ts"
import { trackingFinalizer } from "./tracking-finalizer.ts"

const environmentName = "JOB_COMPLETION_INDEX"

/** Leaves room for the random suffix in a name of 63 characters. */
const maxPrefixLength = 58

/** Returns a new pod of a Job, which has the tracking finalizer from the start. */
export function newPod(job: Job): Pod {
  return podFromTemplate(tracked(job.spec?.template ?? {}), job, jobs)
}

/** Returns a new pod for one index of an Indexed Job. `replaced` is the failed pod of that index. */
export function newIndexedPod(job: Job, index: number, replaced: Pod | undefined): Pod {
  const template = tracked(job.spec?.template ?? {})
  const { metadata, spec } = podFromTemplate(template, job, jobs)
  const mark = { [completionIndexKey]: String(index) }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      generateName: namePrefix(job.metadata.name ?? "", index),
      labels: { ...metadata.labels, ...mark },
      annotations: { ...metadata.annotations, ...mark, ...(hasLimitPerIndex(job) && failureAnnotations(replaced, job)) },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      ...(spec?.initContainers && { initContainers: spec.initContainers.map(withIndex) }),
      containers: (spec?.containers ?? []).map(withIndex),
    },
  }
}

function tracked(template: PodTemplateSpec): PodTemplateSpec {
  const finalizers = template.metadata?.finalizers ?? []
  if (finalizers.includes(trackingFinalizer)) return template
  return { ...template, metadata: { ...template.metadata, finalizers: [...finalizers, trackingFinalizer] } }
}

function namePrefix(job: string, index: number): string {
  const end = `-${index}-`
  return `${job.slice(0, maxPrefixLength - end.length)}${end}`
}

/** Reads the index from the label through the downward API. A variable that the user set stays. */
function withIndex(container: Container): Container {
  if (container.env?.some(({ name }) => name === environmentName)) return container
  const fieldRef = { fieldPath: `metadata.labels['${completionIndexKey}']` }
  return { ...container, env: [...(container.env ?? []), { name: environmentName, valueFrom: { fieldRef } }] }
}
