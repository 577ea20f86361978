import type { AppArmorProfile } from "@pilothouse/api/core/v1"
import { appArmorAnnotation, type SecurityView } from "./effective-context.ts"

const advice = "remove it, or run the container on a node with a container runtime"

/** The first promise of isolation that a plain process of this host cannot keep, as a message; undefined where there is none. */
export function missingIsolation(view: SecurityView): string | undefined {
  const { pod, context } = view
  const { hostUsers, securityContext } = pod.spec ?? {}
  const { readOnlyRootFilesystem, privileged, seccompProfile } = context
  const cannot = (field: string, why: string) => `cannot keep ${field}: ${why}; ${advice}`
  if (hostUsers === false) return cannot("hostUsers: false", "a process of this host has no user namespace of its own")
  if (readOnlyRootFilesystem)
    return cannot("securityContext.readOnlyRootFilesystem: true", "a process of this host writes wherever its user may")
  const [sysctl] = securityContext?.sysctls ?? []
  if (sysctl !== undefined)
    return cannot(`securityContext.sysctls (${sysctl.name})`, "a process of this host has the kernel settings of the host")
  // Of a privileged container a runtime filters nothing either.
  if (privileged) return undefined
  if (seccompProfile !== undefined && seccompProfile.type !== "Unconfined")
    return cannot(`securityContext.seccompProfile ${seccompProfile.type}`, "seccomp is not supported for processes of this host")
  const profile = appArmorOf(view)
  if (profile !== undefined && profile.type !== "Unconfined")
    return cannot(`securityContext.appArmorProfile ${profile.type}`, "AppArmor is not supported for processes of this host")
  return undefined
}

/** The container's own field, then the older annotation, then the pod's field, as a kubelet has it. */
function appArmorOf({ pod, container, context }: SecurityView): AppArmorProfile | undefined {
  const annotated = pod.metadata.annotations?.[`${appArmorAnnotation}${container.name}`]
  if (container.securityContext?.appArmorProfile === undefined && annotated !== undefined)
    return { type: annotated === "unconfined" ? "Unconfined" : annotated.startsWith("localhost/") ? "Localhost" : "RuntimeDefault" }
  return context.appArmorProfile
}
