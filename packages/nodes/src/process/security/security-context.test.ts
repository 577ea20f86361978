import type { Container, Pod, PodSecurityContext, PodSpec, SecurityContext } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { asRoot } from "../testing/spawn.ts"
import type { Credentials, HostPowers } from "./credentials.ts"
import { decideSecurity } from "./security-context.ts"

const asUser: HostPowers = { ...asRoot, uid: 1000, gid: 1000, groups: [1000, 27], canSetUser: false, canDropCapabilities: false }
const withoutSetpriv: HostPowers = { ...asRoot, setpriv: undefined }
const { setpriv } = asRoot
/** Root of a container that has few capabilities itself. */
const weakRoot: HostPowers = { ...asRoot, canSetUser: true, canDropCapabilities: false }

interface Given {
  readonly container?: SecurityContext
  readonly pod?: PodSecurityContext
  readonly spec?: Partial<PodSpec>
  readonly annotations?: Readonly<Record<string, string>>
  readonly powers?: HostPowers
}

function decide({ container, pod = {}, spec = {}, annotations, powers = asRoot }: Given) {
  const main: Container = { name: "main", image: "process", securityContext: container }
  const metadata = { name: "web", namespace: "default", uid: "u-1", annotations }
  const whole: Pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { ...spec, securityContext: pod, containers: [main] } }
  return decideSecurity(whole, main, powers)
}

const unprivileged = { uid: 65_534, gid: 65_533, groups: [], home: "/nonexistent" }

describe("a container is started so that its securityContext holds", () => {
  test.each<readonly [string, Given, Credentials]>([
    ["nothing is said", {}, {}],
    ["runAsUser: the group and home of its account", { container: { runAsUser: 65_534 } }, { user: unprivileged }],
    ["runAsUser of the pod", { pod: { runAsUser: 65_534 } }, { user: unprivileged }],
    [
      "the container's own before the pod's",
      { pod: { runAsUser: 7, runAsNonRoot: true }, container: { runAsUser: 65_534 } },
      { user: unprivileged },
    ],
    [
      "a user without an account never gets the group of root",
      { container: { runAsUser: 4711 } },
      { user: { uid: 4711, gid: 4711, groups: [], home: "/" } },
    ],
    ["runAsGroup", { pod: { runAsUser: 65_534, runAsGroup: 3000 } }, { user: { ...unprivileged, gid: 3000 } }],
    ["runAsGroup alone", { container: { runAsGroup: 3000 } }, { user: { uid: 0, gid: 3000, groups: [], home: "/" } }],
    [
      "fsGroup and supplementalGroups, without doubles",
      { pod: { runAsUser: 65_534, fsGroup: 2000, supplementalGroups: [2001, 2000] } },
      { user: { ...unprivileged, groups: [2000, 2001] } },
    ],
    [
      "supplementalGroupsPolicy Strict leaves the groups of this program",
      { pod: { supplementalGroupsPolicy: "Strict" } },
      { user: { uid: 0, gid: 0, groups: [], home: "/" } },
    ],
    ["the user it is anyway", { container: { runAsUser: 0 } }, {}],
    ["runAsNonRoot with a user", { pod: { runAsNonRoot: true }, container: { runAsUser: 65_534 } }, { user: unprivileged }],
    ["runAsNonRoot: false of the container", { pod: { runAsNonRoot: true }, container: { runAsNonRoot: false } }, {}],
    ["allowPrivilegeEscalation: false", { container: { allowPrivilegeEscalation: false } }, { noNewPrivileges: true }],
    ["allowPrivilegeEscalation: true", { container: { allowPrivilegeEscalation: true } }, {}],
    ["drop ALL", { container: { capabilities: { drop: ["ALL"] } } }, { boundingSet: "-all", clearsCapabilities: true }],
    [
      "drop ALL, add some, and what is both is dropped",
      { container: { capabilities: { drop: ["ALL", "net_raw"], add: ["NET_BIND_SERVICE", "CAP_NET_RAW"] } } },
      { boundingSet: "-all,+net_bind_service", clearsCapabilities: true },
    ],
    ["drop one", { container: { capabilities: { drop: ["NET_RAW"] } } }, { boundingSet: "-net_raw", clearsCapabilities: true }],
    ["add, which root has already", { container: { capabilities: { add: ["NET_ADMIN"] } } }, {}],
    ["privileged, whatever is dropped", { container: { privileged: true, capabilities: { drop: ["ALL"] } } }, {}],
    ["privileged: false, readOnlyRootFilesystem: false", { container: { privileged: false, readOnlyRootFilesystem: false } }, {}],
    ["namespaces of the host, which it has", { spec: { hostPID: true, hostIPC: true, hostNetwork: true, hostUsers: true } }, {}],
    ["no filter of system calls", { container: { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "Unconfined" } } }, {}],
    [
      "a filter that the container does without",
      { pod: { seccompProfile: { type: "RuntimeDefault" } }, container: { seccompProfile: { type: "Unconfined" } } },
      {},
    ],
    ["procMount Unmasked, as /proc is", { container: { procMount: "Unmasked" } }, {}],
    [
      "as an ordinary user: its own user, group and groups",
      { pod: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 27 }, powers: asUser },
      {},
    ],
    ["as an ordinary user: runAsNonRoot", { pod: { runAsNonRoot: true }, powers: asUser }, {}],
    [
      "as an ordinary user: capabilities that it has not, and never gets",
      { container: { capabilities: { drop: ["ALL"] } }, powers: asUser },
      { clearsCapabilities: true, noNewPrivileges: true },
    ],
    [
      "as root without CAP_SETPCAP: those of another user",
      { container: { runAsUser: 65_534, capabilities: { drop: ["ALL"] } }, powers: weakRoot },
      { user: unprivileged, clearsCapabilities: true, noNewPrivileges: true },
    ],
    ["without setpriv: another user", { container: { runAsUser: 65_534 }, powers: withoutSetpriv }, { user: unprivileged }],
  ])("%s", (_name, given, credentials) => {
    const bySetpriv = /noNewPrivileges|clearsCapabilities|boundingSet|"groups":\[\d/.test(JSON.stringify(credentials)) ? { setpriv } : {}
    expect(decide(given)).toEqual({ credentials: { ...credentials, ...bySetpriv }, ignored: [] })
  })
})

describe("a container is refused where its securityContext cannot be kept", () => {
  const elsewhere = "remove it, or run the container on a node with a container runtime"
  const noRight = (own = 1000) =>
    `operation not permitted: this program runs as user ${own} and group ${own}, and only root may choose others; start it as root, or remove`
  const noSetpriv = "setpriv of util-linux was not found on this host; install it, or remove the field"

  test.each<readonly [string, Given, string]>([
    // The kubelet's own words.
    [
      "runAsNonRoot as root",
      { pod: { runAsNonRoot: true } },
      'container has runAsNonRoot and image will run as root (pod: "web_default(u-1)", container: main)',
    ],
    [
      "runAsNonRoot and runAsUser 0",
      { container: { runAsNonRoot: true, runAsUser: 0 } },
      'container\'s runAsUser breaks non-root policy (pod: "web_default(u-1)", container: main)',
    ],
    [
      "readOnlyRootFilesystem",
      { container: { readOnlyRootFilesystem: true } },
      `cannot keep securityContext.readOnlyRootFilesystem: true: a process of this host writes wherever its user may; ${elsewhere}`,
    ],
    [
      "hostUsers: false",
      { spec: { hostUsers: false } },
      `cannot keep hostUsers: false: a process of this host has no user namespace of its own; ${elsewhere}`,
    ],
    ...(["RuntimeDefault", "Localhost"] as const).flatMap((type): readonly (readonly [string, Given, string])[] => [
      [
        `seccompProfile ${type} of the pod`,
        { pod: { seccompProfile: { type } } },
        `cannot keep securityContext.seccompProfile ${type}: seccomp is not supported for processes of this host; ${elsewhere}`,
      ],
      [
        `appArmorProfile ${type}`,
        { container: { appArmorProfile: { type } } },
        `cannot keep securityContext.appArmorProfile ${type}: AppArmor is not supported for processes of this host; ${elsewhere}`,
      ],
    ]),
    [
      "AppArmor by annotation",
      { annotations: { "container.apparmor.security.beta.kubernetes.io/main": "localhost/tight" } },
      `cannot keep securityContext.appArmorProfile Localhost: AppArmor is not supported for processes of this host; ${elsewhere}`,
    ],
    [
      "sysctls",
      { pod: { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] } },
      `cannot keep securityContext.sysctls (net.ipv4.tcp_syncookies): a process of this host has the kernel settings of the host; ${elsewhere}`,
    ],
    [
      "another user, as an ordinary one",
      { container: { runAsUser: 65_534 }, powers: asUser },
      `cannot run as user 65534: ${noRight()} runAsUser`,
    ],
    ["root, as an ordinary user", { container: { runAsUser: 0 }, powers: asUser }, `cannot run as user 0: ${noRight()} runAsUser`],
    ["another group, as an ordinary user", { pod: { runAsGroup: 5 }, powers: asUser }, `cannot run as group 5: ${noRight()} runAsGroup`],
    [
      "a group that it is not in, as an ordinary user",
      { pod: { fsGroup: 2000 }, powers: asUser },
      `cannot join group 2000: ${noRight()} supplementalGroups and fsGroup`,
    ],
    [
      "leaving a group, as an ordinary user",
      { pod: { supplementalGroupsPolicy: "Strict" }, powers: asUser },
      `cannot leave group 27: ${noRight()} supplementalGroupsPolicy: Strict`,
    ],
    [
      "no_new_privs without setpriv",
      { container: { allowPrivilegeEscalation: false }, powers: withoutSetpriv },
      `cannot keep securityContext allowPrivilegeEscalation: false: ${noSetpriv}`,
    ],
    [
      "groups without setpriv",
      { pod: { fsGroup: 2000 }, powers: withoutSetpriv },
      `cannot keep securityContext supplementalGroups and fsGroup: ${noSetpriv}`,
    ],
    [
      "capabilities without setpriv",
      { container: { capabilities: { drop: ["ALL"] } }, powers: withoutSetpriv },
      `cannot keep securityContext capabilities.drop: ${noSetpriv}`,
    ],
    [
      "capabilities of root without CAP_SETPCAP",
      { container: { capabilities: { drop: ["ALL"] } }, powers: weakRoot },
      "cannot drop capabilities of root: this program lacks CAP_SETPCAP itself; run the container as another user (runAsUser)",
    ],
    [
      "a capability that there is not",
      { container: { capabilities: { drop: ["NET-RAW,+all"] } } },
      "expected Linux capabilities such as NET_BIND_SERVICE, or ALL, in securityContext.capabilities, found NET-RAW,+all",
    ],
    [
      "a user, on a system without user IDs",
      { container: { runAsUser: 5 }, powers: {} },
      "cannot choose user and groups: this host has no user IDs; remove runAsUser and the like",
    ],
    [
      "runAsNonRoot, on a system without user IDs",
      { container: { runAsNonRoot: true }, powers: {} },
      'container has runAsNonRoot and this system has no user IDs, cannot verify user is non-root (pod: "web_default(u-1)", container: main)',
    ],
  ])("%s", (_name, given, refused) => {
    expect(decide(given)).toEqual({ refused })
  })
})

test("names the fields that have no effect", () => {
  const container: SecurityContext = {
    runAsUser: 65_534,
    procMount: "Default",
    seLinuxOptions: { level: "s0" },
    windowsOptions: { runAsUserName: "x" },
    capabilities: { add: ["NET_ADMIN"] },
  }
  expect(decide({ container })).toMatchObject({ ignored: ["seLinuxOptions", "windowsOptions", "procMount", "capabilities.add"] })
  expect(decide({ container: { privileged: true }, powers: asUser })).toMatchObject({ ignored: ["privileged"] })
})
