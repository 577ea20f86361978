import { checkDns1123Subdomain, type FieldError, fieldError, type Int64 } from "@pilothouse/api"
import type { AppArmorProfile, Container, PodSpec, SeccompProfile, Sysctl, WindowsSecurityContextOptions } from "@pilothouse/api/core/v1"
import { oneOf } from "../../field-rules.ts"
import { localPathErrors } from "../../volumes/local-path.ts"

const maxCredentialSpec = 64 * 1024
const maxDomain = 256
const maxUser = 104

const highestId = 2147483647

/** Rules of a pod's securityContext, and of the fields beside it that upstream keeps there. */
export function podSecurityErrors(spec: PodSpec, specField: string): readonly FieldError[] {
  const { securityContext: context = {}, hostPID, shareProcessNamespace } = spec
  const field = `${specField}.securityContext`
  const shared = "ShareProcessNamespace and HostPID cannot both be enabled"
  return [
    ...idErrors(context.fsGroup, `${field}.fsGroup`),
    ...idErrors(context.runAsUser, `${field}.runAsUser`),
    ...idErrors(context.runAsGroup, `${field}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((group, index) => idErrors(group, `${field}.supplementalGroups[${index}]`)),
    ...(hostPID === true && shareProcessNamespace === true ? [fieldError.invalid(`${field}.shareProcessNamespace`, true, shared)] : []),
    ...sysctlErrors(context.sysctls ?? [], spec, `${field}.sysctls`),
    ...supported(context.fsGroupChangePolicy, ["Always", "OnRootMismatch"], `${field}.fsGroupChangePolicy`),
    ...seccompErrors(context.seccompProfile, `${field}.seccompProfile`),
    ...windowsOptionsErrors(context.windowsOptions, `${field}.windowsOptions`),
    ...appArmorErrors(context.appArmorProfile, `${field}.appArmorProfile`),
    ...supported(context.supplementalGroupsPolicy, ["Merge", "Strict"], `${field}.supplementalGroupsPolicy`),
    ...supported(context.seLinuxChangePolicy, ["Recursive"], `${field}.seLinuxChangePolicy`),
  ]
}

/** Returns what is wrong with the security context of a container; `hostUsers` is that of its pod. */
export function containerSecurityErrors(context: Container["securityContext"], field: string, hostUsers: boolean): readonly FieldError[] {
  if (context === undefined) return []
  const escalates = (why: string) => fieldError.invalid(field, context, `cannot set \`allowPrivilegeEscalation\` to false and ${why}`)
  const refuses = context.allowPrivilegeEscalation === false
  const admin = (context.capabilities?.add ?? []).filter((capability) => capability === "CAP_SYS_ADMIN")
  return [
    ...idErrors(context.runAsUser, `${field}.runAsUser`),
    ...idErrors(context.runAsGroup, `${field}.runAsGroup`),
    ...supported(context.procMount, ["Default", "Unmasked"], `${field}.procMount`),
    ...(hostUsers && context.procMount === "Unmasked"
      ? [fieldError.invalid(`${field}.procMount`, "Unmasked", "`hostUsers` must be false to use `Unmasked`")]
      : []),
    ...seccompErrors(context.seccompProfile, `${field}.seccompProfile`),
    ...(refuses && context.privileged === true ? [escalates("`privileged` to true")] : []),
    ...(refuses ? admin.map(() => escalates("`capabilities.Add` CAP_SYS_ADMIN")) : []),
    ...windowsOptionsErrors(context.windowsOptions, `${field}.windowsOptions`),
    ...appArmorErrors(context.appArmorProfile, `${field}.appArmorProfile`),
  ]
}

/** What is left out has its default. */
function supported(value: string | undefined, values: readonly string[], field: string): readonly FieldError[] {
  return value === undefined || values.includes(value) ? [] : [fieldError.notSupported(field, value, values)]
}

function idErrors(id: Int64 | undefined, field: string): readonly FieldError[] {
  if (id === undefined || (id >= 0 && id <= highestId)) return []
  return [fieldError.invalid(field, id, `must be between 0 and ${highestId}, inclusive`)]
}

const maxSysctl = 253
const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const sysctlRule = `must have at most ${maxSysctl} characters and match regex ^(${segment}[\\./])*${segment}$`
const segmentPattern = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/

function isSysctl(name: string): boolean {
  return name.length <= maxSysctl && name.split(/[./]/).every((part) => segmentPattern.test(part))
}

function sysctlErrors(sysctls: readonly Sysctl[], spec: PodSpec, field: string): readonly FieldError[] {
  const seen = new Set<string>()
  return sysctls.flatMap(({ name = "" }, index) => {
    const at = `${field}[${index}].name`
    const isAgain = seen.has(name)
    seen.add(name)
    const host = hostOf(name, spec)
    return [
      ...(name === "" ? [fieldError.required(at)] : []),
      ...(name !== "" && !isSysctl(name) ? [fieldError.invalid(at, name, sysctlRule)] : []),
      ...(name !== "" && isSysctl(name) && isAgain ? [fieldError.duplicate(at, name)] : []),
      ...(host === undefined ? [] : [fieldError.invalid(at, name, `may not be specified when '${host}' is true`)]),
    ]
  })
}

const sysctlsOfIpc: ReadonlySet<string> = new Set(
  ["sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "shm", "msgmax", "msgmnb", "msgmni", "msg"].map((name) => `kernel.${name}`),
)

/** The namespace of the host that a sysctl would change, where the pod shares it. */
function hostOf(name: string, { hostNetwork, hostIPC }: PodSpec): "hostNetwork" | "hostIPC" | undefined {
  const normal = dotted(name)
  if (normal.startsWith("net.")) return hostNetwork === true ? "hostNetwork" : undefined
  return hostIPC === true && (sysctlsOfIpc.has(normal) || normal.startsWith("fs.mqueue.")) ? "hostIPC" : undefined
}

/** A name may be written with slashes, in which dots then are part of a segment. */
function dotted(name: string): string {
  const first = name.search(/[./]/)
  if (first < 0 || name[first] === ".") return name
  return name.replace(/[./]/g, (separator) => (separator === "." ? "/" : "."))
}

function seccompErrors(profile: SeccompProfile | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return []
  const { localhostProfile } = profile
  const type: string | undefined = profile.type
  const required = "type is required when seccompProfile is set"
  if ((type ?? "") === "") return [fieldError.required(`${field}.type`, required)]
  const errors = oneOf(type, ["Localhost", "RuntimeDefault", "Unconfined"], `${field}.type`)
  const at = `${field}.localhostProfile`
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return errors
    return [...errors, fieldError.invalid(at, profile, "can only be set when seccomp type is Localhost")]
  }
  if (localhostProfile === undefined) return [fieldError.required(at, "must be set when seccomp type is Localhost")]
  return localPathErrors(localhostProfile, at)
}

const podAnnotation = "seccomp.security.alpha.kubernetes.io/pod"
const containerAnnotation = "container.seccomp.security.alpha.kubernetes.io/"
const localhost = "localhost/"

type Annotations = Readonly<Record<string, string>>

/** Seccomp profiles in annotations, which are from before there were fields. */
export function seccompAnnotationErrors(field: string, annotations: Annotations = {}): readonly FieldError[] {
  const known = ["runtime/default", "docker/default", "unconfined"]
  return Object.entries(annotations)
    .filter(([key]) => key === podAnnotation || key.startsWith(containerAnnotation))
    .flatMap(([key, value]) => {
      if (known.includes(value)) return []
      if (!value.startsWith(localhost)) return [fieldError.invalid(`${field}.${key}`, value, "must be a valid seccomp profile")]
      return localPathErrors(value.slice(localhost.length), `${field}.${key}`)
    })
}

/** Validates that the annotation and the field of a seccomp profile are equal where both are set. */
export function seccompMatchErrors(spec: PodSpec | undefined, field: string, annotations: Annotations = {}): readonly FieldError[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const
  const containers = lists.flatMap((list) =>
    (spec?.[list] ?? []).map(({ name, securityContext }, index) => ({
      annotation: annotations[`${containerAnnotation}${name}`],
      profile: securityContext?.seccompProfile,
      at: `${field}.${list}[${index}]`,
    })),
  )
  return [{ annotation: annotations[podAnnotation], profile: spec?.securityContext?.seccompProfile, at: field }, ...containers].flatMap(
    ({ annotation, profile, at }) =>
      annotation === undefined || profile === undefined ? [] : mismatch(annotation, profile, `${at}.securityContext.seccompProfile`),
  )
}

function mismatch(annotation: string, { type, localhostProfile }: SeccompProfile, field: string): readonly FieldError[] {
  const isSame = {
    Unconfined: annotation === "unconfined",
    RuntimeDefault: annotation === "runtime/default" || annotation === "docker/default",
    Localhost: annotation.startsWith(localhost),
  }
  if (isSame[type] === false) return [fieldError.forbidden(`${field}.type`, "seccomp type in annotation and field must match")]
  if (type !== "Localhost" || annotation.slice(localhost.length) === localhostProfile) return []
  return [fieldError.forbidden(`${field}.localhostProfile`, "seccomp profile in annotation and field must match")]
}

const maxPath = 4095

function appArmorErrors(profile: AppArmorProfile | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return []
  const { localhostProfile: path } = profile
  const type: string | undefined = profile.type
  const at = `${field}.localhostProfile`
  if ((type ?? "") === "") return [fieldError.required(`${field}.type`, "type is required when appArmorProfile is set")]
  if (type === "RuntimeDefault" || type === "Unconfined") {
    return path === undefined ? [] : [fieldError.invalid(at, path, "can only be set when AppArmor type is Localhost")]
  }
  if (type !== "Localhost") return oneOf(type, ["Localhost", "RuntimeDefault", "Unconfined"], `${field}.type`)
  if ((path ?? "") === "") return [fieldError.required(at, "must be set when AppArmor type is Localhost")]
  return [
    ...(path!.trim() === path ? [] : [fieldError.invalid(at, path, "must not be padded with whitespace")]),
    ...(Buffer.byteLength(path!) > maxPath ? [fieldError.tooLong(at, maxPath)] : []),
  ]
}

/** Returns what is wrong with the Windows options of a security context. */
function windowsOptionsErrors(options: WindowsSecurityContextOptions | undefined, field: string): readonly FieldError[] {
  if (options === undefined) return []
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options
  const specFault = spec === "" ? "gmsaCredentialSpec cannot be an empty string" : "gmsaCredentialSpec size must be under 64 KiB"
  const isSpec = spec === undefined || (spec !== "" && Buffer.byteLength(spec) <= maxCredentialSpec)
  const at = `${field}.gmsaCredentialSpecName`
  return [
    ...(name === undefined ? [] : checkDns1123Subdomain(name).map((text) => fieldError.invalid(at, name, text))),
    ...(isSpec ? [] : [fieldError.invalid(`${field}.gmsaCredentialSpec`, spec, specFault)]),
    ...(user === undefined
      ? []
      : userFaults(user).map((text) => fieldError.invalid(`${field}.runAsUserName`, user, `runAsUserName${text}`))),
  ]
}

/** What is wrong with `DOMAIN\user` or `user`. */
function userFaults(text: string): readonly string[] {
  if (text === "") return [" cannot be an empty string"]
  if (hasControlCharacter(text)) return [" cannot contain control characters"]
  const parts = text.split("\\")
  if (parts.length > 2) return [" cannot contain more than one backslash"]
  const [domain, user] = parts.length === 1 ? [undefined, parts[0]!] : [parts[0]!, parts[1]!]
  return [
    ...(domain !== undefined && Buffer.byteLength(domain) >= maxDomain ? [`'s Domain length must be under ${maxDomain} characters`] : []),
    ...(domain === undefined || isDomain(domain) ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === "" ? ["'s User cannot be empty"] : []),
    ...(Buffer.byteLength(user) > maxUser ? [`'s User length must not be longer than ${maxUser} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/:;|=,+*?<>@[\]]/.test(user) ? ["'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"] : []),
  ]
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f")
}

function isDomain(domain: string): boolean {
  const isNetBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain)
  return isNetBios || domain.split(".").every((label) => label.length <= 63 && /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/.test(label))
}
