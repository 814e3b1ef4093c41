/** Shows which handlers were called. */
export function Calls({ calls }: { readonly calls: readonly string[] }) {
  return (
    <ol aria-label="Calls">
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
        <li key={index}>{call}</li>
      ))}
    </ol>
  );
}
