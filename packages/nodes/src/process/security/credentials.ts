/** The user that a process runs as, where that is not simply the one of this program. */
export interface ProcessUser {
  readonly uid: number
  readonly gid: number
  /** Exactly these supplementary groups. */
  readonly groups: readonly number[]
  /** HOME, unless the container sets it. */
  readonly home: string
}

/** Programs that start another one with the credentials that it is to have. */
export interface SetprivPaths {
  /** setpriv(1) of util-linux. */
  readonly setpriv: string
  /** env(1). */
  readonly env: string
}

/** What a process may do; what is left out is as this program may. */
export interface Credentials {
  /** Where only setpriv can start it so. */
  readonly setpriv?: SetprivPaths
  readonly user?: ProcessUser
  /** Set-user-ID programs and file capabilities give nothing (PR_SET_NO_NEW_PRIVS). */
  readonly noNewPrivileges?: boolean
  /** Inheritable and ambient capabilities are cleared. */
  readonly clearsCapabilities?: boolean
  /** Capabilities that can be had at all, as setpriv(1) takes them: "-all,+net_bind_service". */
  readonly boundingSet?: string
}

/** What this program can do about the processes that it starts. What is left out it cannot do, or is unknown. */
export interface HostPowers {
  readonly uid?: number
  readonly gid?: number
  /** Supplementary groups. */
  readonly groups?: readonly number[]
  /** Whether a process can have another user and other groups (root; on Linux CAP_SETUID and CAP_SETGID). */
  readonly canSetUser?: boolean
  /** Whether capabilities can be taken out of the bounding set (CAP_SETPCAP). */
  readonly canDropCapabilities?: boolean
  /** Without it no supplementary groups, no_new_privs or capabilities can be set. */
  readonly setpriv?: SetprivPaths
  /** The entry of a user in the account file of this host. */
  account?(uid: number): { readonly gid: number; readonly home: string } | undefined
}

/** Reports whether only setpriv can start a process so. */
export function needsSetpriv({ user, noNewPrivileges, clearsCapabilities, boundingSet }: Credentials): boolean {
  return (user?.groups.length ?? 0) > 0 || noNewPrivileges === true || clearsCapabilities === true || boundingSet !== undefined
}

/**
 * Variables that change what the dynamic loader and the C library do: those that they themselves pass over in set-user-ID programs. setpriv still has
 * our rights when it starts, so it must not see them; env(1) sets them again afterwards.
 */
const unsafe =
  /^(?:LD_.*|MALLOC_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MUSL_LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$/

/** A program, its arguments, and all of its environment. */
export interface Command {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The same program, started by setpriv with these credentials. It replaces itself, so the process, its output and its end are the program's. */
export function withSetpriv(
  { argv, env }: Command,
  { user, noNewPrivileges, clearsCapabilities, boundingSet }: Credentials,
  paths: SetprivPaths,
): Command {
  const options = [
    ...(user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, groupsOption(user.groups)]),
    ...(noNewPrivileges ? ["--no-new-privs"] : []),
    ...(clearsCapabilities ? ["--inh-caps=-all", "--ambient-caps=-all"] : []),
    ...(boundingSet === undefined ? [] : [`--bounding-set=${boundingSet}`]),
  ]
  const later = Object.entries(env).filter(([name]) => unsafe.test(name))
  const set = later.length === 0 ? [] : [paths.env, ...later.map(([name, value]) => `${name}=${value}`)]
  return {
    argv: [paths.setpriv, ...options, "--", ...set, ...argv],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !unsafe.test(name))),
  }
}

function groupsOption(groups: readonly number[]): string {
  return groups.length === 0 ? "--clear-groups" : `--groups=${groups.join(",")}`
}
