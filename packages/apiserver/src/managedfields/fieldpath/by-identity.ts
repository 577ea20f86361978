/**
 * Returns the function with its results remembered by the identity of its two arguments, for as long as both live. Sets and changes of objects of one shape
 * are one object each, so that what one write found is what the next ones look up.
 */
export function byIdentity<A extends object, B extends object, Result>(work: (a: A, b: B) => Result): (a: A, b: B) => Result {
  const known = new WeakMap<A, WeakMap<B, { readonly result: Result }>>()
  return (a, b) => {
    let ofFirst = known.get(a)
    if (ofFirst === undefined) known.set(a, (ofFirst = new WeakMap()))
    const found = ofFirst.get(b)
    if (found !== undefined) return found.result
    const result = work(a, b)
    ofFirst.set(b, { result })
    return result
  }
}
