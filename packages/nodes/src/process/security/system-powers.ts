import { accessSync, constants, readFileSync, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { hasCapability } from "./capabilities.ts"
import type { HostPowers } from "./credentials.ts"

/** Reports what this program may do to processes on this system. */
export async function systemPowers(): Promise<HostPowers> {
  const { getuid, getgid, getgroups } = process
  if (getuid === undefined || getgid === undefined || getgroups === undefined) return {}
  const uid = getuid()
  const [, mask] = /^CapEff:\s*([0-9a-f]+)$/m.exec(read("/proc/self/status")) ?? []
  // Another system's root can choose users; capabilities there are none to drop.
  const can = (name: string) => (mask === undefined ? false : hasCapability(mask, name))
  const canSetUser = mask === undefined ? uid === 0 : can("setuid") && can("setgid")
  const path = process.env.PATH ?? ""
  const [setpriv, env] = [findProgram("setpriv", { path }), findProgram("env", { path })]
  return {
    uid,
    gid: getgid(),
    groups: getgroups(),
    canSetUser,
    canDropCapabilities: can("setpcap"),
    ...(setpriv !== undefined && env !== undefined && (await isOfUtilLinux(setpriv)) && { setpriv: { setpriv, env } }),
    account: accountOf,
  }
}

/** Others (BusyBox) have one that cannot change users. */
async function isOfUtilLinux(setpriv: string): Promise<boolean> {
  const { execFile } = await import("node:child_process")
  const help = await new Promise<string>((done) => execFile(setpriv, ["--help"], (_error, output) => done(output)))
  return ["--reuid", "--groups", "--no-new-privs", "--bounding-set", "--inh-caps", "--ambient-caps"].every((option) =>
    help.includes(option),
  )
}

/** Of the account file, which is read each time: accounts come and go. Those of a directory service are not in it. */
function accountOf(uid: number): { readonly gid: number; readonly home: string } | undefined {
  const entries = read("/etc/passwd")
    .split("\n")
    .map((line) => line.split(":"))
  const [, , , gid, , home] = entries.find(([, , id]) => id === String(uid)) ?? []
  return gid === undefined ? undefined : { gid: Number(gid), home: home || "/" }
}

/** Finds the program that a process would start under this name; undefined where it would find none. */
export function findProgram(name: string, { path, cwd = "." }: { readonly path: string; readonly cwd?: string }): string | undefined {
  const places = name.includes("/") ? [name] : path.split(delimiter).map((directory) => `${directory || "."}/${name}`)
  return places.map((place) => resolve(cwd, place)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    // Not there, or not for us: the next place is tried.
    return false
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // Not on this system.
    return ""
  }
}
