/**
 * Returns what compiles a stored policy once. A stored object is never changed, so what is compiled of it holds, also where the index of policies is made
 * again because another policy or a binding has changed; it goes with the object.
 */
export function compiledOnce<Policy extends object, Compiled>(compile: (policy: Policy) => Compiled): (policy: Policy) => Compiled {
  const known = new WeakMap<Policy, Compiled>()
  return (policy) => {
    const found = known.get(policy)
    if (found !== undefined) return found
    const compiled = compile(policy)
    known.set(policy, compiled)
    return compiled
  }
}
