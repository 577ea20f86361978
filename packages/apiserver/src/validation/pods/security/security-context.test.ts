import { formatFieldErrors } from "@pilothouse/api"
import type { PodSpec } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { validatePod } from "../pod.ts"

const container = (securityContext: object = {}, more: object = {}) => ({
  name: "c",
  image: "i",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
  securityContext,
  ...more,
})

function errors(spec: object, annotations: Readonly<Record<string, string>> = {}): string {
  const whole = { restartPolicy: "Always", dnsPolicy: "ClusterFirst", containers: [container()], ...spec } as unknown as PodSpec
  return formatFieldErrors(validatePod({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", annotations }, spec: whole }))
}

const pod = (securityContext: object, more: object = {}) => ({ securityContext, ...more })
const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

test.each([
  [
    "a user below 0",
    pod({ runAsUser: -1 }),
    "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ],
  [
    "a group beyond",
    pod({ supplementalGroups: [1, 5e9] }),
    "spec.securityContext.supplementalGroups[1]: Invalid value: 5000000000: must be between 0 and 2147483647, inclusive",
  ],
  [
    "processes that are shared twice",
    pod({}, { hostPID: true, shareProcessNamespace: true }),
    "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
  ],
  [
    "a name that is no sysctl",
    pod({ sysctls: [{ name: "Kernel.x", value: "1" }] }),
    `spec.securityContext.sysctls[0].name: Invalid value: "Kernel.x": must have at most 253 characters and match regex ^(${segment}[\\./])*${segment}$`,
  ],
  ["a sysctl without a name", pod({ sysctls: [{ value: "1" }] }), "spec.securityContext.sysctls[0].name: Required value"],
  [
    "a sysctl twice",
    pod({ sysctls: ["kernel.sem", "net/core/x.y", "kernel.sem"].map((name) => ({ name, value: "1" })) }),
    'spec.securityContext.sysctls[2].name: Duplicate value: "kernel.sem"',
  ],
  [
    "a sysctl of the host's network",
    pod({ sysctls: [{ name: "net.core.somaxconn", value: "1" }] }, { hostNetwork: true }),
    "spec.securityContext.sysctls[0].name: Invalid value: \"net.core.somaxconn\": may not be specified when 'hostNetwork' is true",
  ],
  [
    "a sysctl of the host's IPC, with slashes",
    pod({ sysctls: [{ name: "kernel/shm_rmid_forced", value: "1" }] }, { hostIPC: true }),
    "spec.securityContext.sysctls[0].name: Invalid value: \"kernel/shm_rmid_forced\": may not be specified when 'hostIPC' is true",
  ],
  [
    "a policy that is none",
    pod({ fsGroupChangePolicy: "Now" }),
    'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Now": supported values: "Always", "OnRootMismatch"',
  ],
  [
    "a seccomp profile without a path",
    pod({ seccompProfile: { type: "Localhost" } }),
    "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
  ],
  [
    "a seccomp profile elsewhere",
    pod({ seccompProfile: { type: "Localhost", localhostProfile: "../x" } }),
    "spec.securityContext.seccompProfile.localhostProfile: Invalid value: \"../x\": must not contain '..'",
  ],
  [
    "an AppArmor profile without a type",
    pod({ appArmorProfile: {} }),
    "spec.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set",
  ],
  [
    "a user of Windows",
    pod({ windowsOptions: { runAsUserName: "a/b" } }),
    'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a/b": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
  ],
  [
    "a process of the host without its network",
    pod({ windowsOptions: { hostProcess: true } }),
    "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
  ],
  ["a user namespace beside the host's", { hostUsers: false, hostIPC: true }, "spec.HostIPC: Forbidden: when `hostUsers` is false"],
  [
    "an unmasked /proc",
    { containers: [container({ procMount: "Unmasked" })] },
    'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
  ],
  ["another system", { os: { name: "plan9" } }, 'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  [
    "fields of Linux on Windows",
    { os: { name: "windows" }, hostPID: true, containers: [container({ privileged: false })] },
    "[spec.hostPID: Forbidden: cannot be set for a windows pod, spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod]",
  ],
  [
    "fields of Windows on Linux",
    { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
    "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
  ],
  [
    "another port of the host",
    { hostNetwork: true, containers: [container({}, { ports: [{ containerPort: 80, hostPort: 81, protocol: "TCP" }] })] },
    "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
  ],
  ["a pod without any of it", {}, ""],
])("%s", (_what, spec, expected) => {
  expect(errors(spec)).toBe(expected)
})

test("an annotation of seccomp is a profile, and the one of the field", () => {
  const key = "seccomp.security.alpha.kubernetes.io/pod"
  expect(errors({}, { [key]: "x" })).toBe(`metadata.annotations.${key}: Invalid value: "x": must be a valid seccomp profile`)
  expect(errors(pod({ seccompProfile: { type: "Unconfined" } }), { [key]: "runtime/default" })).toBe(
    "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
  )
  expect(errors(pod({ seccompProfile: { type: "Localhost", localhostProfile: "a" } }), { [key]: "localhost/a" })).toBe("")
})
