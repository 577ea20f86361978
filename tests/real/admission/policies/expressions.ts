/** Fails for the ConfigMap of the scenarios. */
export const wrong = { expression: "object.data.a == 'x'" }
/** Cannot be evaluated: the key is missing. */
export const broken = { expression: "object.data.missing == 'x'" }
/** Costs more than one expression may. */
export const dear =
  "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a != b + c + d + e + 1000)))))"
/** Whether the user may read pods. */
export const check = "authorizer.group('').resource('pods').namespace('default').check('get').allowed()"
