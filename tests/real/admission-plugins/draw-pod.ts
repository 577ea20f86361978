import type { Draw } from "../api/draw.ts"

type Made = Readonly<Record<string, unknown>>

const capabilities = ["ALL", "CHOWN", "NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW", "SYS_CHROOT"]
const sysctls = [
  "a.b",
  "kernel.shm_rmid_forced",
  "kernel/msgmax",
  "Kernel.x",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "kernel.sem",
]
const profileTypes = ["RuntimeDefault", "Localhost", "Unconfined", "Other"]
const keys = ["", "dedicated", "node.kubernetes.io/not-ready", "vm"]

/** Draws pods that say much about their security, now and then something that no pod may say. */
export class PodDraw {
  readonly #draw: Draw

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** With `strict`, mostly what the strictest level demands. */
  pod(name: string): { readonly metadata: Made; readonly spec: Made } {
    const draw = this.#draw
    const strict = draw.chance(0.4)
    const containers = draw.times(1, 2, () => undefined).map((_, at) => this.#container(`c${at}`, strict))
    const windows = draw.chance(0.08)
    return {
      metadata: {
        name,
        ...(draw.chance(0.12) && { annotations: this.#annotations() }),
        ...(draw.chance(0.2) && { labels: { a: draw.pick(["b", "c"]) } }),
      },
      spec: {
        containers,
        ...(draw.chance(0.25) && { initContainers: [this.#container("i", strict)] }),
        ...this.#maybe(0.06, "hostNetwork", [true, false]),
        ...this.#maybe(0.06, "hostPID", [true]),
        ...this.#maybe(0.04, "hostIPC", [true]),
        ...this.#maybe(0.12, "hostUsers", [true, false]),
        ...this.#maybe(0.04, "shareProcessNamespace", [true]),
        ...(windows && { os: { name: "windows" } }),
        ...(!windows && draw.chance(0.08) && { os: { name: draw.pick(["linux", "windows", "plan9"]) } }),
        ...((strict || draw.chance(0.6)) && { securityContext: this.#podContext(strict) }),
        ...(draw.chance(0.3) && { volumes: draw.times(1, 2, () => undefined).map((_, at) => this.#volume(`v${at}`)) }),
        ...this.#scheduling(),
      },
    }
  }

  #maybe(share: number, field: string, values: readonly unknown[]): Made {
    return this.#draw.chance(share) ? { [field]: this.#draw.pick(values) } : {}
  }

  #scheduling(): Made {
    const draw = this.#draw
    return {
      ...this.#maybe(0.15, "runtimeClassName", ["vm", "vm", "plain", "absent"]),
      ...this.#maybe(0.06, "priorityClassName", ["system-node-critical", "absent"]),
      ...this.#maybe(0.04, "priority", [0, 5]),
      ...this.#maybe(0.04, "preemptionPolicy", ["Never", "PreemptLowerPriority"]),
      ...this.#maybe(0.05, "overhead", [{ cpu: "250m" }, { cpu: "0.25" }, { cpu: "1" }]),
      ...this.#maybe(0.12, "nodeSelector", [{ vm: "yes" }, { vm: "no" }, { env: "test" }, { env: "prod", zone: "a" }]),
      ...(draw.chance(0.2) && { tolerations: draw.times(1, 3, () => this.toleration()) }),
      ...this.#maybe(0.08, "affinity", [
        { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "kubernetes.io/hostname" }] } },
        { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] } },
      ]),
      ...this.#maybe(0.08, "nodeName", ["n1", "absent"]),
    }
  }

  toleration(): Made {
    const draw = this.#draw
    const operator = draw.pick(["Exists", "Equal", undefined])
    const effect = draw.pick(["NoExecute", "NoSchedule", undefined])
    return {
      key: operator === "Exists" ? draw.pick(keys) : draw.pick(keys.slice(1)),
      ...(operator !== undefined && { operator }),
      ...(operator !== "Exists" && { value: draw.pick(["x", "y"]) }),
      ...(effect !== undefined && { effect }),
      ...(effect === "NoExecute" && draw.chance(0.5) && { tolerationSeconds: draw.pick([0, 10, 300]) }),
    }
  }

  #annotations(): Made {
    const draw = this.#draw
    const value = draw.pick(["unconfined", "runtime/default", "localhost/p", "docker/default", ""])
    return { [draw.pick(["seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/c0"])]: value }
  }

  #podContext(strict: boolean): Made {
    const draw = this.#draw
    return {
      ...(strict && draw.chance(0.9) && { runAsNonRoot: true }),
      ...(strict && draw.chance(0.9) && { seccompProfile: { type: "RuntimeDefault" } }),
      ...this.#maybe(0.1, "runAsNonRoot", [true, false]),
      ...this.#maybe(0.1, "runAsUser", [0, 1000, -1]),
      ...this.#maybe(0.05, "runAsGroup", [0, 5000000000]),
      ...this.#maybe(0.04, "fsGroup", [0, -2]),
      ...this.#maybe(0.04, "fsGroupChangePolicy", ["OnRootMismatch", "Sometimes"]),
      ...this.#maybe(0.04, "supplementalGroups", [[1], [-1]]),
      ...this.#maybe(0.04, "supplementalGroupsPolicy", ["Strict", "Merge", "Other"]),
      ...this.#maybe(0.03, "seLinuxChangePolicy", ["Recursive", "MountOption", "Other"]),
      ...(draw.chance(0.1) && { seccompProfile: this.#profile() }),
      ...(draw.chance(0.1) && { appArmorProfile: this.#profile() }),
      ...(draw.chance(0.08) && { seLinuxOptions: this.#seLinux() }),
      ...(draw.chance(0.06) && { windowsOptions: this.#windows() }),
      ...(draw.chance(0.15) && { sysctls: draw.times(1, 3, () => ({ name: draw.pick(sysctls), value: "1" })) }),
    }
  }

  #profile(): Made {
    const type = this.#draw.pick(profileTypes)
    // Elsewhere the real server shows the profile with the address of its name in memory.
    return {
      type,
      ...(type === "Localhost" && this.#draw.chance(0.9) && { localhostProfile: this.#draw.pick(["p.json", "../up", "/abs"]) }),
    }
  }

  #seLinux(): Made {
    return {
      ...this.#maybe(0.7, "type", ["container_t", "container_engine_t", "spc_t"]),
      ...this.#maybe(0.3, "user", ["u"]),
      ...this.#maybe(0.3, "role", ["r"]),
      ...this.#maybe(0.3, "level", ["s0"]),
    }
  }

  #windows(): Made {
    return {
      ...this.#maybe(0.6, "hostProcess", [true, false]),
      ...this.#maybe(0.4, "gmsaCredentialSpecName", ["spec", "Bad Name"]),
      ...this.#maybe(0.2, "runAsUserName", ["ContainerUser", "a/b", ""]),
    }
  }

  #container(name: string, strict: boolean): Made {
    const draw = this.#draw
    return {
      name,
      image: draw.pick(["one", "two"]),
      ...((strict || draw.chance(0.6)) && { securityContext: this.#context(strict) }),
      ...(draw.chance(0.12) && { ports: [{ containerPort: 80, ...this.#maybe(0.6, "hostPort", [80, 8080]) }] }),
      ...(draw.chance(0.1) && { livenessProbe: { httpGet: { port: 80, ...this.#maybe(0.5, "host", ["h", "192.0.2.1"]) } } }),
      ...(draw.chance(0.06) && { lifecycle: { preStop: { tcpSocket: { port: 80, ...this.#maybe(0.7, "host", ["g"]) } } } }),
      ...(draw.chance(0.1) && { resources: draw.pick([{ requests: { cpu: "1" } }, extended]) }),
      ...this.#maybe(0.1, "imagePullPolicy", ["Never", "IfNotPresent"]),
    }
  }

  #context(strict: boolean): Made {
    const draw = this.#draw
    const add = draw.chance(0.2) ? { add: draw.some(capabilities, 2) } : {}
    const drop = draw.chance(strict ? 0.95 : 0.2) ? { drop: draw.chance(0.9) ? ["ALL"] : draw.some(capabilities, 2) } : {}
    return {
      ...((strict || draw.chance(0.3)) && draw.chance(0.95) && { allowPrivilegeEscalation: false }),
      ...((strict || draw.chance(0.3)) && { capabilities: { ...add, ...drop } }),
      ...this.#maybe(0.05, "allowPrivilegeEscalation", [true]),
      // With allowPrivilegeEscalation=false the real server shows the whole context with addresses in memory.
      ...(draw.chance(0.06) && { privileged: true, allowPrivilegeEscalation: true }),
      ...this.#maybe(0.08, "runAsNonRoot", [true, false]),
      ...this.#maybe(0.08, "runAsUser", [0, 1000]),
      ...this.#maybe(0.05, "procMount", ["Default", "Unmasked", "Other"]),
      ...(draw.chance(0.08) && { seccompProfile: this.#profile() }),
      ...(draw.chance(0.06) && { appArmorProfile: this.#profile() }),
      ...(draw.chance(0.06) && { seLinuxOptions: this.#seLinux() }),
      ...(draw.chance(0.04) && { windowsOptions: this.#windows() }),
      ...this.#maybe(0.04, "readOnlyRootFilesystem", [true]),
    }
  }

  #volume(name: string): Made {
    const source = this.#draw.pick<Made>([
      { emptyDir: {} },
      { secret: { secretName: "s" } },
      { hostPath: { path: "/x" } },
      { nfs: { server: "s", path: "/" } },
      { iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2003-01.a:b", lun: 0 } },
      { image: { reference: "r" } },
      { persistentVolumeClaim: { claimName: "c" } },
      { projected: { sources: [] } },
    ])
    return { name, ...source }
  }
}

const devices = { "example.com/gpu": "1" }
const extended = { requests: devices, limits: devices }
