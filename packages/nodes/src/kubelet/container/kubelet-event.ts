import type { Container, Pod } from "@pilothouse/api/core/v1"
import { restarts } from "./restart.ts"

/** An event of a pod. */
export interface KubeletEvent {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** Returns a Normal event. */
export function normal(reason: string, message: string): KubeletEvent {
  return { type: "Normal", reason, message }
}

/** Returns a Warning event. */
export function warning(reason: string, message: string): KubeletEvent {
  return { type: "Warning", reason, message }
}

/** "web_default(uid)": how a kubelet names a pod. */
export function podLabel({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`
}

/** Returns the event of a container that is stopped because one of its probes failed: what becomes of it depends on how it would end. */
export function probeKilling(pod: Pod, container: Container, probe: "startup" | "liveness"): KubeletEvent {
  const isInit = pod.spec?.initContainers?.some(({ name }) => name === container.name) ?? false
  if (isInit) return normal("Killing", `Init container ${container.name} failed ${probe} probe`)
  const then = restarts(pod, container, 137) ? ", will be restarted" : ""
  return normal("Killing", `Container ${container.name} failed ${probe} probe${then}`)
}

/** Returns the events of a container that is pulled, created and started, in the kubelet's words. */
export function startEvents({ image = "", imagePullPolicy }: Container): readonly KubeletEvent[] {
  const pulled =
    imagePullPolicy === "Always"
      ? [
          normal("Pulling", `Pulling image "${image}"`),
          normal("Pulled", `Successfully pulled image "${image}" in 0s (0s including waiting). Image size: 0 bytes.`),
        ]
      : [normal("Pulled", `Container image "${image}" already present on machine and can be accessed by the pod`)]
  return [...pulled, normal("Created", "Container created"), normal("Started", "Container started")]
}
