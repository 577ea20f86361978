import type { Credentials, SetprivPaths } from "./credentials.ts"

/**
 * Variables that change what the dynamic loader and the C library do: those that they themselves pass over in set-user-ID programs. setpriv still has
 * our rights when it starts, so it must not see them; env(1) sets them again afterwards.
 */
const unsafe =
  /^(?:LD_.*|MALLOC_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MUSL_LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$/

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
