import type { PodSpec } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { detailsOf, reasonsOf, standard } from "./standards.ts"

interface Row {
  readonly spec?: Partial<PodSpec>
  readonly container?: object
  readonly annotations?: Readonly<Record<string, string>>
}

function violations(policy: string, { spec = {}, container = {}, annotations = {} }: Row): string {
  const [level = "", version = "latest"] = policy.split(":")
  const pod = { metadata: { annotations }, spec: { containers: [{ name: "c", image: "i", ...container }], ...spec } }
  return detailsOf(standard({ level: level as "baseline", version })(pod))
}

/** What a pod needs to be admitted by the strictest level. */
const restricted = {
  securityContext: {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
}

const securityContext = (more: object) => ({ securityContext: more })

test.each<[string, string, Row, string]>([
  ["host namespaces", "baseline", { spec: { hostNetwork: true, hostIPC: true } }, "host namespaces (hostNetwork=true, hostIPC=true)"],
  ["a path of the host", "baseline", { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } }, 'hostPath volumes (volume "v")'],
  [
    "ports of the host",
    "baseline",
    { container: { ports: [{ containerPort: 1, hostPort: 9 }, { containerPort: 2, hostPort: 10 }, { containerPort: 3 }] } },
    'hostPort (container "c" uses hostPorts 10, 9)',
  ],
  [
    "a host of a probe",
    "baseline",
    { container: { livenessProbe: { httpGet: { host: "h" } }, lifecycle: { preStop: { tcpSocket: { host: "g" } } } } },
    'probe or lifecycle host (container "c" uses probe or lifecycle hosts "g", "h")',
  ],
  ["a host of a probe before 1.34", "baseline:v1.33", { container: { livenessProbe: { httpGet: { host: "h" } } } }, ""],
  [
    "privileged",
    "baseline",
    { container: securityContext({ privileged: true }) },
    'privileged (container "c" must not set securityContext.privileged=true)',
  ],
  [
    "a process of a Windows host",
    "baseline",
    {
      spec: { securityContext: { windowsOptions: { hostProcess: true } } },
      container: securityContext({ windowsOptions: { hostProcess: true } }),
    },
    'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    "capabilities",
    "baseline",
    { container: securityContext({ capabilities: { add: ["SYS_ADMIN", "CHOWN", "NET_RAW"] } }) },
    'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    "unmasked /proc",
    "baseline",
    { container: securityContext({ procMount: "Unmasked" }) },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "unmasked /proc in a user namespace",
    "baseline",
    { spec: { hostUsers: false }, container: securityContext({ procMount: "Unmasked" }) },
    "",
  ],
  [
    "unmasked /proc in a user namespace before 1.35",
    "baseline:v1.34",
    { spec: { hostUsers: false }, container: securityContext({ procMount: "Unmasked" }) },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "SELinux",
    "baseline",
    {
      spec: { securityContext: { seLinuxOptions: { type: "t", role: "r" } } },
      container: securityContext({ seLinuxOptions: { user: "u" } }),
    },
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "t"; user may not be set; role may not be set)',
  ],
  ["SELinux of an engine", "baseline", { container: securityContext({ seLinuxOptions: { type: "container_engine_t" } }) }, ""],
  [
    "SELinux of an engine before 1.31",
    "baseline:v1.30",
    { container: securityContext({ seLinuxOptions: { type: "container_engine_t" } }) },
    'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  ],
  [
    "AppArmor",
    "baseline",
    {
      spec: { securityContext: { appArmorProfile: { type: "Unconfined" } } },
      annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
    },
    'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  ],
  [
    "seccomp",
    "baseline",
    { spec: { securityContext: { seccompProfile: { type: "Unconfined" } } } },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "seccomp before 1.19",
    "baseline:v1.18",
    {
      annotations: {
        "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/c": "localhost/x",
      },
    },
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  ],
  [
    "sysctls",
    "baseline",
    {
      spec: {
        securityContext: {
          sysctls: [
            { name: "net.ipv4.tcp_rmem", value: "1" },
            { name: "a.b", value: "1" },
          ],
        },
      },
    },
    "forbidden sysctls (a.b)",
  ],
  [
    "sysctls of 1.32 before that",
    "baseline:v1.31",
    {
      spec: {
        securityContext: {
          sysctls: [
            { name: "net.ipv4.tcp_rmem", value: "1" },
            { name: "net.ipv4.tcp_fin_timeout", value: "1" },
          ],
        },
      },
    },
    "forbidden sysctls (net.ipv4.tcp_rmem)",
  ],
  [
    "a pod that says nothing",
    "restricted",
    {},
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    "a pod that says nothing before all of it",
    "restricted:v1.7",
    {},
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  ],
  ["a pod that says everything", "restricted", { container: restricted }, ""],
  ["a Windows pod", "restricted", { spec: { os: { name: "windows" }, securityContext: { runAsNonRoot: true } } }, ""],
  [
    "a user namespace of its own",
    "restricted",
    { spec: { hostUsers: false }, container: securityContext({ ...restricted.securityContext, runAsNonRoot: false, runAsUser: 0 }) },
    "",
  ],
  [
    "root",
    "restricted",
    { container: securityContext({ ...restricted.securityContext, runAsNonRoot: false, runAsUser: 0 }) },
    'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
  ],
  [
    "an added capability",
    "restricted",
    { container: securityContext({ ...restricted.securityContext, capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] } }) },
    'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    "volumes of the node",
    "restricted",
    {
      spec: {
        volumes: [
          { name: "v", hostPath: { path: "/" } },
          { name: "n", nfs: { server: "s", path: "/" } },
          { name: "e", emptyDir: {} },
        ],
      },
      container: restricted,
    },
    'restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "a container beside one that says everything",
    "restricted",
    {
      spec: {
        initContainers: [{ name: "i" }],
        containers: [{ name: "a" }, { name: "c", ...(restricted as object) }],
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } },
      },
    },
    'allowPrivilegeEscalation != false (containers "i", "a" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (containers "i", "a" must set securityContext.capabilities.drop=["ALL"])',
  ],
  ["everything", "privileged", { spec: { hostNetwork: true } }, ""],
])("%s: %s", (_what, policy, row, expected) => {
  expect(violations(policy, row)).toBe(expected)
})

test("many pods are named with reasons alone", () => {
  const found = standard({ level: "baseline", version: "latest" })({
    spec: { hostPID: true, containers: [{ name: "c", ports: [{ containerPort: 1, hostPort: 1 }] }] },
  })
  expect(reasonsOf(found)).toBe("host namespaces, hostPort")
})
