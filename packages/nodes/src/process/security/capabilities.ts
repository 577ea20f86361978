import type { Capabilities } from "@pilothouse/api/core/v1"

/** capabilities(7) up to Linux 6.x, in the order of their numbers: CAP_CHOWN is 0. */
const names: readonly string[] = [
  ..."chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service".split(" "),
  ..."net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin".split(" "),
  ..."sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override".split(" "),
  ..."mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore".split(" "),
]

/** Reports whether a mask of /proc/PID/status ("CapEff") has the capability. */
export function hasCapability(mask: string, name: string): boolean {
  return (BigInt(`0x${mask}`) & (1n << BigInt(names.indexOf(name)))) !== 0n
}

/** The first name that is no capability, of those that are added and dropped. ALL is one. */
export function unknownCapability({ add = [], drop = [] }: Capabilities): string | undefined {
  return [...add, ...drop].find((name) => plain(name) !== "all" && !names.includes(plain(name)))
}

/**
 * Returns what setpriv has to leave in the bounding set; undefined where nothing is dropped. As container runtimes have it: ALL comes first, then what is named
 * wins, and what is both added and dropped is dropped. drop: [ALL], add: [NET_BIND_SERVICE] is "-all,+net_bind_service".
 */
export function boundingSetOf({ add = [], drop = [] }: Capabilities): string | undefined {
  if (drop.length === 0) return undefined
  const [added, dropped] = [add.map(plain), drop.map(plain)]
  const named = dropped.filter((name) => name !== "all")
  if (!dropped.includes("all")) return [...new Set(named)].map((name) => `-${name}`).join(",")
  const kept = (added.includes("all") ? names : added).filter((name) => !named.includes(name))
  return ["-all", ...[...new Set(kept)].map((name) => `+${name}`)].join(",")
}

/** "CAP_NET_RAW" and "NET_RAW" as setpriv has it: "net_raw". */
function plain(name: string): string {
  return name.toLowerCase().replace(/^cap_/, "")
}
