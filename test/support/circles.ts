/** Groups of names that refer to each other in a circle (Tarjan's strongly connected components), each sorted. */
export function circlesOf(targetsOf: (name: string) => readonly string[], names: readonly string[]): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): number => {
    const own = index.size;
    let low = own;
    index.set(name, own);
    open.push(name);
    for (const target of targetsOf(name)) {
      if (!index.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? index.get(target) ?? own);
    }
    lowest.set(name, low);
    if (low === own) {
      const circle = open.splice(open.indexOf(name));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const name of names) if (!index.has(name)) visit(name);
  return circles;
}
