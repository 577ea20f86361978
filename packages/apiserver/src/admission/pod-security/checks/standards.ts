import type { CheckedPod, CheckPod, Violation } from "./check.ts"
import { hostNamespaces, hostPorts, hostProbes, privileged, windowsHostProcess } from "./host-checks.ts"
import { type Level, type LevelVersion, latest } from "./policy.ts"
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  procMount,
  runAsNonRoot,
  runAsUser,
  sysctls,
  sysctlVersions,
  unlessUserNamespace,
  unlessWindows,
} from "./privilege-checks.ts"
import { appArmorProfile, seccompAnnotations, seccompBaseline, seccompRestricted, seLinuxOptions } from "./profile-checks.ts"
import { hostPathVolumes, restrictedVolumes } from "./volume-checks.ts"

/** One rule of a standard, as it is from each minor version on. */
interface Check {
  readonly id: string
  readonly level: Exclude<Level, "privileged">
  /** Ascending. */
  readonly versions: readonly (readonly [from: number, check: CheckPod])[]
  /** The rule of baseline that a pod is not checked against where it is checked against this one. */
  readonly overrides?: string
}

/** The Pod Security Standards as of 1.36, in the order in which messages name their violations. */
const checks: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", versions: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", level: "baseline", versions: [[0, capabilitiesBaseline]] },
  { id: "hostNamespaces", level: "baseline", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", level: "baseline", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", level: "baseline", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", versions: [[34, hostProbes]] },
  { id: "privileged", level: "baseline", versions: [[0, privileged]] },
  { id: "procMount", level: "baseline", versions: since([0, procMount], [35, unlessUserNamespace(procMount)]) },
  { id: "seLinuxOptions", level: "baseline", versions: since([0, seLinuxOptions(0)], [31, seLinuxOptions(31)]) },
  { id: "seccompProfile_baseline", level: "baseline", versions: since([0, seccompAnnotations], [19, seccompBaseline]) },
  { id: "sysctls", level: "baseline", versions: sysctlVersions.map((minor) => [minor, sysctls(minor)]) },
  { id: "windowsHostProcess", level: "baseline", versions: [[0, windowsHostProcess]] },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: since([8, allowPrivilegeEscalation], [25, unlessWindows(allowPrivilegeEscalation)]),
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    versions: since([22, capabilitiesRestricted], [25, unlessWindows(capabilitiesRestricted)]),
    overrides: "capabilities_baseline",
  },
  { id: "procMount_restricted", level: "restricted", versions: [[35, procMount]], overrides: "procMount" },
  { id: "restrictedVolumes", level: "restricted", versions: [[0, restrictedVolumes]], overrides: "hostPathVolumes" },
  { id: "runAsNonRoot", level: "restricted", versions: since([0, runAsNonRoot], [35, unlessUserNamespace(runAsNonRoot)]) },
  { id: "runAsUser", level: "restricted", versions: since([23, runAsUser], [35, unlessUserNamespace(runAsUser)]) },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    versions: since([19, seccompRestricted], [25, unlessWindows(seccompRestricted)]),
    overrides: "seccompProfile_baseline",
  },
]

function since(...versions: Check["versions"]): Check["versions"] {
  return versions
}

/** Returns the rules of a standard as of a minor version. */
function checksFor(level: Level, minor: number): readonly CheckPod[] {
  if (level === "privileged") return []
  const current = checks.flatMap(({ versions, ...check }) => {
    const found = versions.findLast(([from]) => from <= minor)
    return found === undefined || (level === "baseline" && check.level === "restricted") ? [] : [{ ...check, check: found[1] }]
  })
  const overridden = new Set(current.map(({ overrides }) => overrides))
  return current.filter(({ id }) => !overridden.has(id)).map(({ check }) => check)
}

/** Returns a function that finds all that a standard forbids about a pod. */
export function standard({ level, version }: LevelVersion): (pod: CheckedPod) => readonly Violation[] {
  const minor = version === latest ? Number.POSITIVE_INFINITY : Number(version.slice("v1.".length))
  const found = checksFor(level, minor)
  return ({ spec, metadata = {} }) => (spec === undefined ? [] : found.flatMap((check) => check(spec, metadata) ?? []))
}

/** `hostPort, privileged`: what stands for many pods. */
export function reasonsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ")
}

/** `hostPort (container "c" uses hostPort 80), …`. */
export function detailsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ")
}
