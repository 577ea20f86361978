import type { Container, Pod, SecurityContext } from "@pilothouse/api/core/v1"

/** The container whose securityContext is decided upon, and what holds for it in the end. */
export interface SecurityView {
  readonly pod: Pod
  readonly container: Container
  readonly context: SecurityContext
}

/** Why a container cannot run with its security context. */
export interface Refused {
  /** For people, as a kubelet says it of a container that it cannot create. */
  readonly refused: string
}

/** Returns the security context of a container, with the pod's where the container sets none. */
export function securityView(pod: Pod, container: Container): SecurityView {
  const { runAsUser, runAsGroup, runAsNonRoot, ...others } = pod.spec?.securityContext ?? {}
  const { seLinuxOptions, seccompProfile, appArmorProfile, windowsOptions } = others
  const ofPod: SecurityContext = { runAsUser, runAsGroup, runAsNonRoot, seLinuxOptions, seccompProfile, appArmorProfile, windowsOptions }
  const own = Object.entries(container.securityContext ?? {}).filter(([, value]) => isSaid(value))
  return { pod, container, context: { ...ofPod, ...Object.fromEntries(own) } }
}

/** Reports whether the pod or the container says anything at all: most do not, and nothing has to be asked of the host for them. */
export function hasSecurity({ metadata, spec }: Pod, container: Container): boolean {
  const said = [...Object.values(spec?.securityContext ?? {}), ...Object.values(container.securityContext ?? {})]
  const isAnnotated = Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith(appArmorAnnotation))
  return spec?.hostUsers === false || isAnnotated || said.some(isSaid)
}

/** What came before the field appArmorProfile; the container's name follows. */
export const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null
}
